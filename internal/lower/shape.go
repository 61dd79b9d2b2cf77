package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Shape is what a first-order type is made of.
type Shape struct {
	Kind ShapeKind
	// of a product or a variant; of an array its one element, of recursive data a row of its table
	Parts []*Shape

	data *types.Data // that recursive data is
	Cons []int       // of a variant: the first of the parts that are fields of each constructor
}

// ShapeKind tells shapes apart.
type ShapeKind uint8

// ShapeOf gives the shape of a type, or nil for one that has none: functions,
// texts, and data with several constructors that have fields, or that contains itself.
func ShapeOf(t types.Type) *Shape {
	if hasVariants(t) {
		return nil
	}
	return DataShapeOf(t)
}

// DataShapeOf is ShapeOf also for data with several constructors that have fields, and for
// recursive data. Callers of loop form that take apart such data may ask for it.
func DataShapeOf(t types.Type) *Shape { return shapeOf(t, nil) }

// ResultShapeOf is DataShapeOf for results, which are not recursive data.
func ResultShapeOf(t types.Type) *Shape {
	if s := DataShapeOf(t); s != nil && !s.hasNodes() {
		return s
	}
	return nil
}

// shapeOf is the shape of a type inside of the tables of recursive data.
func shapeOf(t types.Type, inside []*types.Data) *Shape {
	parts := func(ts []types.Type, inside []*types.Data) *Shape {
		s := &Shape{Kind: ProductShape}
		for _, t := range ts {
			part := shapeOf(t, inside)
			if part == nil {
				return nil
			}
			s.Parts = append(s.Parts, part)
		}
		return s
	}
	switch t := types.Resolve(t).(type) {
	case *types.Basic:
		switch t {
		case types.Real:
			return &Shape{Kind: RealShape}
		case types.Int:
			return &Shape{Kind: IntShape}
		case types.Bool:
			return &Shape{Kind: BoolShape}
		}
	case *types.Tuple, *types.Record:
		return parts(types.Parts(t), inside)
	case *types.Array:
		if elem := shapeOf(t.Elem, inside); elem != nil {
			return &Shape{Kind: ArrayShape, Parts: []*Shape{elem}}
		}
	case *types.Data:
		if isEnumeration(t) {
			return &Shape{Kind: IntShape}
		}
		if t.Decl.Recursive() {
			return nodeShape(t, inside)
		}
		if len(t.Decl.Cons) > 1 {
			return variantShape(t, parts(allFields(t), inside))
		}
		return parts(allFields(t), inside)
	}
	return nil
}

// isEnumeration tells whether a data type has several constructors, none of them with fields.
func isEnumeration(t *types.Data) bool { return len(t.Decl.Cons) > 1 && t.Decl.Enumeration() }

// isNode tells whether values of a data type are indices of nodes.
func isNode(t *types.Data) bool { return t.Decl.Recursive() }

// isVariant tells whether values of a data type, or their rows if it is recursive, are a tag and
// fields.
func isVariant(t *types.Data) bool { return len(t.Decl.Cons) > 1 && !isEnumeration(t) || isNode(t) }

// indexShape is the shape of an index.
var indexShape = &Shape{Kind: IntShape}

// maxNested bounds the instances of a recursive data type inside each other.
const maxNested = 8

// nodeShape is the shape of recursive data, inside of other tables. Data that refers to a table
// around its own has none.
func nodeShape(t *types.Data, inside []*types.Data) *Shape {
	for k, outer := range inside {
		if types.Equal(outer, t) {
			if k < len(inside)-1 {
				return nil
			}
			return &Shape{Kind: InnerNodeShape, data: t}
		}
	}
	if len(inside) == maxNested {
		return nil
	}
	inside = append(inside[:len(inside):len(inside)], t)
	var fields []*Shape
	for _, f := range allFields(t) {
		s := shapeOf(f, inside)
		if s == nil {
			return nil
		}
		fields = append(fields, s)
	}
	row := variantShape(t, &Shape{Kind: ProductShape, Parts: fields})
	return &Shape{Kind: NodeShape, Parts: []*Shape{row}, data: t}
}

// variantShape is the shape of a data type whose fields have the given shape.
func variantShape(t *types.Data, fields *Shape) *Shape {
	if fields == nil {
		return nil
	}
	s := &Shape{Kind: VariantShape, Parts: append([]*Shape{{Kind: IntShape}}, fields.Parts...)}
	next := 1
	for _, con := range t.Decl.Cons {
		s.Cons = append(s.Cons, next)
		next += len(con.Fields)
	}
	return s
}

// allFields are the types of the fields of all constructors.
func allFields(t *types.Data) []types.Type {
	var all []types.Type
	for _, con := range t.Decl.Cons {
		all = append(all, con.FieldTypes(t)...)
	}
	return all
}

// hasVariants tells whether a type contains data with a tag and fields, or recursive data.
func hasVariants(t types.Type) bool {
	return types.Contains(t, func(t types.Type) bool {
		d, ok := t.(*types.Data)
		return ok && isVariant(d)
	})
}

// hasFunctions tells whether there are functions in values of a type.
func hasFunctions(t types.Type) bool {
	return types.Contains(t, func(t types.Type) bool { _, ok := t.(*types.Fun); return ok })
}

// hasNodes tells whether there is recursive data in values of a shape.
func (s *Shape) hasNodes() bool {
	return s.Kind == NodeShape || slices.ContainsFunc(s.Parts, (*Shape).hasNodes)
}

// SameData tells whether two shapes are of the same recursive data.
func (s *Shape) SameData(t *Shape) bool { return types.Equal(s.data, t.data) }

func (k ShapeKind) scalar() loop.Kind {
	switch k {
	case RealShape:
		return loop.F64
	case IntShape:
		return loop.I64
	}
	return loop.Bool
}

// param makes the parameters for an argument of a type.
func (l *lowerer) param(name string, t types.Type) value {
	s := l.argShape(t)
	if s == nil {
		l.fail("an argument of type %s", types.Show(t))
	}
	return l.paramOf(name, s)
}

// argShape is the shape that an argument of the whole function may have.
func (l *lowerer) argShape(t types.Type) *Shape {
	if l.source.Data {
		return DataShapeOf(t)
	}
	return ShapeOf(t)
}

func (l *lowerer) paramOf(name string, s *Shape) value {
	return l.shaped(s, nil, func(k loop.Kind) *loop.Var {
		v := l.fresh(name, k)
		l.bindAt(v, 0)
		l.params = append(l.params, v)
		return v
	})
}

// shaped is a value of a shape, in arrays of the given lengths, whose parts are new variables.
func (l *lowerer) shaped(s *Shape, dims []loop.Atom, make func(k loop.Kind) *loop.Var) value {
	return (&shaping{l: l, make: make}).value(s, dims)
}

// shaping makes values whose parts are new variables.
type shaping struct {
	l    *lowerer
	make func(k loop.Kind) *loop.Var
	of   func(*types.Data) *table // the table of recursive data; nil if it is made too
	in   *table                   // whose rows are being made
}

func (sh *shaping) value(s *Shape, dims []loop.Atom) value {
	l := sh.l
	switch s.Kind {
	case ProductShape, VariantShape:
		p := &product{cons: s.Cons}
		for _, part := range s.Parts {
			p.parts = append(p.parts, sh.value(part, dims))
		}
		return p
	case ArrayShape:
		n := sh.make(loop.I64)
		l.spans.Set(n, &natural)
		return &array{n: n, elem: sh.value(s.Parts[0], also(dims, n))}
	case NodeShape:
		at := sh.value(indexShape, dims)
		if sh.of != nil {
			return &product{parts: []value{at}, table: sh.of(s.data)}
		}
		t := &table{data: s.data}
		rows := &shaping{l: l, make: sh.make, in: t}
		t.rows = rows.value(&Shape{Kind: ArrayShape, Parts: s.Parts}, nil).(*array)
		return &product{parts: []value{at}, table: t}
	case InnerNodeShape:
		return &product{parts: []value{sh.value(indexShape, dims)}, table: sh.in}
	}
	k := s.Kind.scalar()
	if len(dims) == 0 {
		return &scalar{sh.make(k)}
	}
	buf := sh.make(bufferOf(k))
	l.sizes[buf] = l.size(dims)
	return &column{k, buf, loop.Int(0), l.rowMajor(dims), nil}
}

// zero is a value of a shape with zeroes and arrays without elements.
func (l *lowerer) zero(s *Shape, dims []loop.Atom) value {
	switch s.Kind {
	case ProductShape, VariantShape:
		p := &product{cons: s.Cons}
		for _, part := range s.Parts {
			p.parts = append(p.parts, l.zero(part, dims))
		}
		return p
	case NodeShape:
		return &product{parts: []value{l.zero(indexShape, dims)}, table: nowhere}
	case ArrayShape:
		n := loop.Int(0)
		return &array{n: n, elem: l.zero(s.Parts[0], also(dims, n))}
	}
	k := s.Kind.scalar()
	if len(dims) > 0 {
		return &column{k, l.alloc("none", k, loop.Int(0), false), loop.Int(0), l.rowMajor(dims),
			nil}
	}
	return &scalar{loop.Literal(k, 0)}
}
