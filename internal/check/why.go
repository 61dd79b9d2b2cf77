package check

import (
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// why says why an expression must have a type, for the message if it does not. It is passed by
// value with every expectation, and turned into words only if necessary.
type why struct {
	kind  whyKind
	n     int         // the index of the argument, element, arm …
	at    diag.Span   // the other place: the annotation, the first branch …
	node  syntax.Node // the call, operator or binding that requires the type
	whole types.Type  // whyArgument, whyPiped: the type of the function
	of    *why        // the reason of which this is a part
}

type whyKind uint8

const (
	whyNone              whyKind = iota
	whyAnnotation                // the annotation of a binding
	whyAscription                // (e : T)
	whyPatternAnnotation         // (p : T)
	whyPattern                   // a pattern against the value it takes apart
	whyArmPattern                // a pattern of a match
	whyElementPattern            // p in `p in xs`
	whyParameter                 // a parameter of a function whose type is known
	whyResult                    // the body of such a function
	whyComponent                 // a component of a tuple whose type is known
	whyArgument                  // of a call
	whyPiped                     // x in x |> f
	whyApplied                   // a thing that is applied must be a function
	whyCondition                 // of an if
	whyWhile                     // of a loop
	whyGuard                     // of an arm
	whyFilter                    // of a comprehension
	whyElse                      // else must agree with then
	whyArm                       // an arm must agree with the first
	whyElement                   // an element must agree with the first
	whyOperand                   // of an operator with operands of known types
	whyOperands                  // the two operands must agree
	whyIndex                     // an index is an Int
	whyIndexed                   // what is indexed is an array
	whyBound                     // n of `i < n`
	whySource                    // xs of `x in xs`
	whyLoopBody                  // the body must have the type of the state
	whyLoopState
	whyField     // the field of an update
	whyReplaced  // the element of an update
	whyConField  // a field of a constructor pattern
	whyRecursion // a use inside the recursive group
	whyDeferred  // a field, after its record became known
	whyJacobian  // a derivative
	whyTaken     // the value whose field is taken is a record
)

// subject names the expression that must have the type: "the condition of this `if`".
func (w *why) subject() string {
	switch w.kind {
	case whyAnnotation:
		name := w.node.(*syntax.Binding).Name()
		switch {
		case name == "":
			return "the right-hand side"
		case w.n > 0:
			return fmt.Sprintf("the result of `%s`", name)
		}
		return fmt.Sprintf("`%s`", name)
	case whyAscription:
		return "this expression"
	case whyPatternAnnotation:
		return "this pattern"
	case whyPattern, whyArmPattern, whyElementPattern, whyConField:
		return "this pattern"
	case whyParameter:
		return fmt.Sprintf("parameter %d of the function %s", w.n, w.of.place())
	case whyResult:
		return fmt.Sprintf("the result of the function %s", w.of.place())
	case whyComponent:
		return fmt.Sprintf("component %d of %s", w.n, w.of.subject())
	case whyArgument:
		call := w.node.(*syntax.Apply)
		if len(call.Args) == 1 && w.n == 1 {
			return "the argument of " + describe(call.Fun)
		}
		return fmt.Sprintf("argument %d of %s", w.n, describe(call.Fun))
	case whyPiped:
		return "the argument of " + describe(w.node.(*syntax.Binary).R)
	case whyCondition:
		return "the condition of an `if`"
	case whyWhile:
		return "the condition of a loop"
	case whyGuard:
		return "the condition of an arm"
	case whyFilter:
		return "the condition of a comprehension"
	case whyElse:
		return "the `else` branch"
	case whyArm:
		return fmt.Sprintf("arm %d of this `match`", w.n)
	case whyElement:
		return fmt.Sprintf("element %d of this array", w.n)
	case whyOperand:
		return fmt.Sprintf("the %s side of `%s`", sideName(w.n), w.node.(*syntax.Binary).Op)
	case whyOperands:
		return fmt.Sprintf("the right side of `%s`", w.node.(*syntax.Binary).Op)
	case whyIndex:
		return "an index"
	case whyIndexed:
		return "what is indexed"
	case whyBound:
		return "the bound of a range"
	case whySource:
		return "what `in` runs over"
	case whyLoopBody:
		return "the body of the loop"
	case whyLoopState:
		return "the state of the loop"
	case whyReplaced:
		return "the new element"
	case whyField:
		return fmt.Sprintf("the field `%s`", w.at.Text())
	case whyRecursion:
		return fmt.Sprintf("`%s`", w.node.(*syntax.Binding).Name())
	case whyJacobian:
		return "the derivative"
	case whyTaken:
		return fmt.Sprintf("what the field `%s` is taken of", w.at.Text())
	case whyDeferred:
		if w.at.Known() {
			return fmt.Sprintf("the field `%s`", w.at.Text())
		}
		return "this component"
	}
	return "this expression"
}

// place names where the function stands whose parts are at fault.
func (w *why) place() string {
	switch w.kind {
	case whyArgument, whyPiped:
		return "in " + w.subject()
	case whyAnnotation:
		return "that is " + w.subject()
	}
	return "here"
}

// explain adds other places and rules that belong to the reason.
func (w *why) explain(d *diag.Diagnostic, c *checker) {
	switch w.kind {
	case whyAnnotation, whyAscription, whyPatternAnnotation:
		d.WithRelated(w.at, "the annotation says so")
	case whyPattern, whyArmPattern, whyElementPattern:
		d.WithRelated(w.at, "this is what it is matched with")
	case whyParameter, whyResult, whyComponent:
		w.of.explain(d, c)
	case whyArgument:
		c.showType(d, w.node.(*syntax.Apply).Fun)
		c.explainOneType(d, w.node.(*syntax.Apply).Fun)
	case whyPiped:
		c.showType(d, w.node.(*syntax.Binary).R)
		c.explainOneType(d, w.node.(*syntax.Binary).R)
	case whyDeferred:
		if w.node != nil {
			d.WithRelated(w.node.Span(), "%s", decidesRecord)
		}
	case whyElse:
		d.WithRelated(w.at, "the `then` branch")
		d.WithHint("both branches of an `if` have one type, because either may be its value")
	case whyArm:
		d.WithRelated(w.at, "the first arm")
		d.WithHint("all arms of a `match` have one type, because any may be its value")
	case whyElement:
		d.WithRelated(w.at, "the first element")
		d.WithHint("all elements of an array have one type; a tuple `(a, b)` can mix them")
	case whyLoopBody:
		d.WithRelated(w.at, "the state starts as this")
		d.WithHint("the body of a loop gives its next state, so the two have one type")
	case whyBound:
		d.WithHint("`i < n` counts from 0 to n - 1, so n is an Int")
	case whySource:
		d.WithHint("`x in xs` runs over the elements of an array, `i < n` over the numbers from " +
			"0 to n - 1")
	}
}

// sizes says which two arrays have different sizes.
func (w *why) sizes() string {
	switch w.kind {
	case whyAnnotation, whyAscription, whyPatternAnnotation:
		return "this array does not have the size that its annotation says"
	case whyArgument, whyPiped:
		var fun syntax.Expr
		if call, ok := w.node.(*syntax.Apply); ok {
			fun = call.Fun
		} else {
			fun = w.node.(*syntax.Binary).R
		}
		return describe(fun) + " needs arrays of one size"
	case whyElse:
		return "the branches of this `if` are arrays of different sizes"
	case whyArm:
		return "the arms of this `match` are arrays of different sizes"
	case whyElement:
		return "the rows of this array have different sizes"
	case whyOperand, whyOperands:
		return fmt.Sprintf("`%s` needs arrays of one size", w.node.(*syntax.Binary).Op)
	case whyLoopBody:
		return "the state of this loop changes its size"
	case whyResult, whyParameter, whyComponent:
		return w.of.sizes()
	}
	return "these arrays have different sizes"
}

func sideName(n int) string {
	if n == 1 {
		return "left"
	}
	return "right"
}

// nameOf returns the name by which a program calls an expression, or "".
func nameOf(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.Var:
		return e.Name
	case *syntax.Con:
		return e.Name
	case *syntax.OpFun:
		return "(" + e.Op.String() + ")"
	case *syntax.Paren:
		return nameOf(e.X)
	case *syntax.Field:
		if of := nameOf(e.X); of != "" {
			return of + "." + e.Name.Name
		}
	}
	return ""
}

// describe names an expression in a message.
func describe(e syntax.Expr) string {
	if name := nameOf(e); name != "" {
		return "`" + name + "`"
	}
	return "this function"
}
