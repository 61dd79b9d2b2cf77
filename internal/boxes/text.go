package boxes

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Note [The searching program]. A function and a box are turned into the text of a program. For
//
//	fluxion solve circle.flx --fn f --box x=0..2 --box y=0..2 --set r=1
//
// where f takes a pair (x, y) and r, the text is
//
//	let set0' = (1)
//	let lo0' : Real = (0)
//	let hi0' : Real = (2)
//	let lo1' : Real = (0)
//	let hi1' : Real = (2)
//	let f' (u' : []Real) = f (u'[0], u'[1]) set0'
//	prelude.roots [lo0', lo1'] [hi0', hi1'] (fun u' => prelude.flatten (f' u'))
//
// With --where g and --min the last lines are
//
//	let g' (u' : []Real) = prelude.flatten (g (u'[0], u'[1]) set0')
//	prelude.argminWhere [lo0', lo1'] [hi0', hi1'] g' f'
//
// Its result is of use only as far as it fails or not: the answer is what the search itself tells
// (exact.BoxSearch), which there is without a result, too. Names end in a prime, so that they do
// not hide names that the program is likely to define. Those of the library are qualified: the
// program may define others.

// source builds the text.
type source struct {
	o        Options
	world    *driver.World
	unit     *driver.Unit
	at       diag.Span // of the function
	params   []*part
	result   types.Type
	boxes    []*bounds
	sets     []*given
	unknowns []unknown
	missing  []*part // that have neither a range nor a value
	b        strings.Builder
	body     int // the length of the text without its last line
	pieces   []piece
}

// piece is a part of the text that the user wrote.
type piece struct {
	start, end int32
	file       *diag.File
}

const textName = "<solve>"

func refuse(at diag.Span, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(diag.CannotSolve, at, format, args...)
}

// span is a --box as a place on the command line.
func (b *bounds) span() diag.Span { return option("--box", b.Name+"="+b.Text) }

func option(flag, text string) diag.Span {
	return diag.Span{File: diag.NewFile(flag, text), End: int32(len(text))}
}

func (g *given) name() string { return fmt.Sprintf("set%d'", g.number) }

func (g *given) span() diag.Span { return option(g.flag(), g.Name+"="+g.Text) }

func (g *given) flag() string {
	if g.File {
		return "--data"
	}
	return "--set"
}

// newSource reads the options and writes the text.
func newSource(
	ctx context.Context, w *driver.World, u *driver.Unit, o Options, set driver.Settings,
) (*source, *diag.List) {
	s := &source{o: o, world: w, unit: u}
	var sink diag.List
	fail := func(d *diag.Diagnostic) (*source, *diag.List) {
		sink.Add(d)
		return nil, &sink
	}
	global := u.Info.Interface.Value(o.Function)
	if global == nil {
		return fail(u.Undefined(o.Function))
	}
	s.at = global.At
	ts, result := types.Splay(global.Scheme.Type, math.MaxInt)
	s.result = result
	if len(ts) == 0 {
		return fail(diag.Errorf(diag.NotAFunction, s.at, "`%s` is not a function", o.Function))
	}
	written := u.Parameters(o.Function)
	for k, t := range ts {
		name := "x"
		if len(ts) > 1 {
			name = fmt.Sprintf("x%d", k+1)
		}
		var pattern syntax.Pattern
		if k < len(written) {
			pattern = written[k].Pattern
			name = written[k].Name // "" for a pattern that names components
		}
		s.params = append(s.params, grow(name, name, pattern, t, len(ts) == 1))
	}
	for k, g := range o.Set {
		x := find(s.params, g.Name)
		set := &given{g, k, x}
		if x == nil {
			return fail(s.unfound(set.span(), g.Name))
		}
		if x.set != nil {
			return fail(refuse(set.span(), "`%s` is given twice", g.Name))
		}
		x.set = set
		s.sets = append(s.sets, set)
	}
	for k, g := range o.Ranges {
		b := &bounds{Given: g, number: k}
		x := find(s.params, g.Name)
		switch {
		case x == nil:
			return fail(s.unfound(b.span(), g.Name))
		case x.box != nil:
			return fail(refuse(b.span(), "`%s` has two ranges", g.Name))
		case x.set != nil:
			return fail(refuse(b.span(), "`%s` has a range, and a value by %s", g.Name,
				x.set.flag()))
		}
		if s.read(ctx, b, set, &sink); sink.Failed() {
			return nil, &sink
		}
		x.box = b
		s.boxes = append(s.boxes, b)
	}
	for _, p := range s.params {
		if d := s.settle(p, nil, nil); d != nil {
			return fail(d)
		}
	}
	if len(s.missing) > 0 {
		return fail(s.absent())
	}
	if n := len(s.unknowns); n == 0 || n > mostUnknowns {
		return fail(refuse(s.at, "there are %s: a box has 1 to %d", counted(n, "unknown"),
			mostUnknowns))
	}
	if d := s.ask(); d != nil {
		return fail(d)
	}
	if d := s.constrain(len(ts)); d != nil {
		return fail(d)
	}
	s.write()
	return s, nil
}

// read finds out what the ends of a range are.
func (s *source) read(ctx context.Context, b *bounds, set driver.Settings, sink *diag.List) {
	lo, hi, ok := strings.Cut(b.Text, "..")
	if b.lo, b.hi = strings.TrimSpace(lo), strings.TrimSpace(hi); !ok || b.lo == "" || b.hi == "" {
		sink.Add(refuse(b.span(), "`%s` is not a range", b.Text).
			WithHint("write --box %s=-1..1", quoted(b.Name)))
		return
	}
	unit := s.world.LoadText("--box "+b.Name, fmt.Sprintf("(%s, %s)", b.lo, b.hi),
		[]*driver.Unit{s.unit}, sink)
	if unit == nil || sink.Failed() {
		return
	}
	r, d := driver.Run(ctx, unit, set)
	if d != nil {
		sink.Add(d)
		return
	}
	ends, ok := types.Resolve(r.Of).(*types.Tuple)
	both, isPair := r.Value.(value.Tuple)
	if !ok || !isPair || len(both) != 2 {
		sink.Add(refuse(b.span(), "`%s` is not a range", b.Text))
		return
	}
	b.real = isReal(ends.Elems[0])
	b.los, b.his = value.RealsOf(both[0]), value.RealsOf(both[1])
	if len(b.los) != len(b.his) || len(b.los) == 0 {
		sink.Add(refuse(b.span(), "the lower end has %s, and the upper one %d",
			counted(len(b.los), "real"), len(b.his)))
		return
	}
	for k, lo := range b.los {
		hi, which := b.his[k], ""
		if !b.real {
			which = fmt.Sprintf(" number %d", k)
		}
		switch {
		case math.IsNaN(lo-hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0):
			sink.Add(refuse(b.span(),
				"the range%s of `%s` is not bounded by numbers: it is from %v to %v",
				which, b.Name, lo, hi))
		case lo == hi:
			sink.Add(refuse(b.span(), "the range%s of `%s` is the point %v", which, b.Name, lo).
				WithHint("what is not sought has a value: --set %s=%v", quoted(b.Name), lo))
		case lo > hi:
			sink.Add(refuse(b.span(), "the range%s of `%s` is from %v down to %v", which, b.Name,
				lo, hi).WithHint("the smaller number comes first"))
		default:
			continue
		}
		return
	}
}

// ask decides what is asked for, and whether the function suits it.
func (s *source) ask() *diag.Diagnostic {
	n, f := len(s.unknowns), s.o.Function
	like := grow("", "", nil, s.result, false)
	results, known := like.results()
	shown := s.unit.Info.Printer().Type(s.result)
	if s.o.Question == Unasked {
		if s.o.Question = All; isReal(s.result) && n > 1 {
			return refuse(s.at, "what of `%s` is sought? It gives a Real", f).
				WithHint("its least value: --min; its greatest: --max").
				WithHint("a system of equations gives as many reals as there are unknowns: %d", n)
		}
	}
	switch {
	case s.o.Question.Optimum() && !isReal(s.result):
		return refuse(s.at, "`%s` gives %s, and an optimum is that of a Real", f, shown)
	case s.o.Question.Optimum():
	case known && results < 0:
		return refuse(s.at, "`%s` gives %s, which is not made of reals", f, shown)
	case known && results != n:
		return refuse(s.at, "`%s` gives %s, and there are %s", f, counted(results, "real"),
			counted(n, "unknown")).
			WithHint("a system has as many equations as unknowns")
	}
	return nil
}

// constrain finds out whether a function that takes so many arguments may be under the constraints.
func (s *source) constrain(arguments int) *diag.Diagnostic {
	where := s.o.Where
	if where == "" {
		return nil
	}
	g := s.unit.Info.Interface.Value(where)
	if g == nil {
		return s.unit.Undefined(where)
	}
	ts, result := types.Splay(g.Scheme.Type, math.MaxInt)
	n, known := grow("", "", nil, result, false).results()
	switch f := s.o.Function; {
	case !s.o.Question.Optimum():
		return refuse(g.At, "there are constraints for --min and --max only")
	case len(ts) != arguments:
		return refuse(g.At, "`%s` takes %s, and `%s` takes %d", where,
			counted(len(ts), "argument"), f, arguments).
			WithHint("constraints are a function of what the function takes")
	case known && n < 0:
		return refuse(g.At, "`%s` gives %s, which is not made of reals", where,
			s.unit.Info.Printer().Type(result))
	}
	return nil
}

// results is how many reals a result has; known is false if that depends on the size of an array,
// and the number is below 0 if there is something else in it.
func (x *part) results() (n int, known bool) {
	if x.array && !x.sized {
		return 0, false
	}
	if !x.whole() && !x.real() {
		return -1, true
	}
	if !x.whole() {
		return 1, true
	}
	for _, y := range x.parts {
		m, ok := y.results()
		if !ok || m < 0 {
			return m, ok
		}
		n += m
	}
	return n, true
}

func (s *source) linef(format string, args ...any) { fmt.Fprintf(&s.b, format+"\n", args...) }

// expression writes an expression of the user's.
func (s *source) expression(before, expr, flag, all string) {
	s.b.WriteString(before + " (")
	start := int32(s.b.Len())
	s.b.WriteString(expr)
	s.pieces = append(s.pieces, piece{start, int32(s.b.Len()), diag.NewFile(flag, all)})
	s.b.WriteString("\n )\n")
}

// write writes the text.
func (s *source) write() {
	for _, g := range s.sets {
		annotated := ""
		if x := g.part; !types.Contains(x.ty, func(t types.Type) bool {
			_, open := types.Resolve(t).(*types.Param)
			return open
		}) {
			annotated = " : " + (&types.Printer{}).Type(x.ty)
		}
		text := g.Text
		if g.File {
			text = "file " + notation.Quote(g.Text)
		}
		s.expression("let "+g.name()+annotated+" =", text, g.flag(), g.Name+"="+g.Text)
	}
	ends := [2][]string{}
	for _, b := range s.boxes {
		annotated := ""
		if b.real {
			annotated = " : Real"
		}
		for k, text := range []string{b.lo, b.hi} {
			s.expression(fmt.Sprintf("let end%d%d'%s =", k, b.number, annotated), text, "--box",
				b.Name+"="+b.Text)
			if !b.real {
				s.linef("let reals%d%d' = prelude.flatten end%[1]d%[2]d'", k, b.number)
			}
		}
	}
	for _, u := range s.unknowns {
		for k := range ends {
			end := fmt.Sprintf("end%d%d'", k, u.box.number)
			if !u.box.real {
				end = fmt.Sprintf("reals%d%d'[%d]", k, u.box.number, u.at)
			}
			ends[k] = append(ends[k], end)
		}
	}
	arguments := ""
	for _, p := range s.params {
		arguments += " " + p.value()
	}
	s.linef("let f' (u' : []Real) = %s%s", s.o.Function, arguments)
	if s.o.Where != "" {
		s.linef("let g' (u' : []Real) = prelude.flatten (%s%s)", s.o.Where, arguments)
	}
	for k, name := range []string{"los'", "his'"} {
		s.linef("let %s : []Real = [%s]", name, strings.Join(ends[k], ", "))
	}
	s.body = s.b.Len()
	search, function := s.o.Question.search(), "f'"
	switch {
	case !s.o.Question.Optimum():
		function = "(fun u' => prelude.flatten (f' u'))"
	case s.o.Where != "" && s.o.Question == Least:
		search, function = "argminWhere", "g' f'"
	case s.o.Where != "":
		search, function = "argminWhere", "g' (fun u' => -(f' u'))"
	}
	s.linef("prelude.%s los' his' %s", search, function)
}

// load loads the text.
func (s *source) load(sink *diag.List) *driver.Unit {
	var own diag.List
	unit := s.world.LoadGiven(textName, s.b.String(), []*driver.Unit{s.unit}, &own)
	for _, d := range own.Sorted() {
		sink.Add(s.explain(d))
	}
	return unit
}

// explain moves a diagnostic about the text to what the user wrote, or to the function.
func (s *source) explain(d *diag.Diagnostic) *diag.Diagnostic {
	moved := *d
	moved.Span = s.span(d.Span)
	for _, g := range s.sets {
		moved.Message = strings.ReplaceAll(moved.Message, "`"+g.name()+"`", "`"+g.Name+"`")
	}
	moved.Related = nil
	for _, r := range d.Related {
		if r.Span.File == nil || r.Span.File.Name != textName {
			moved.Related = append(moved.Related, r)
		}
	}
	return &moved
}

func (s *source) span(at diag.Span) diag.Span {
	if at.File == nil || at.File.Name != textName {
		return at
	}
	for _, p := range s.pieces {
		if p.start <= at.Start && at.Start <= p.end {
			return diag.Span{File: p.file, End: int32(len(p.file.Text))}
		}
	}
	return s.at
}
