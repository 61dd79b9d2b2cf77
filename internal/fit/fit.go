// Package fit estimates the parameters of a model from data. It is given a loaded unit, the name
// of a function in it and files of data. It returns estimates with their uncertainty, as a
// report, as JSON and as a picture, and with a proof of the minimum if one is asked for. It knows
// nothing of the command line.
//
// The model is an ordinary function of the program. The objective is a text that applies the
// model to the data (text.go) and is loaded like any other text. So the types of the parameters
// decide how the data is read, and derivatives are computed by the language. Everything outside
// of that text is iteration, and is here:
//
//	text.go       the program that is fitted, made from the model and the data
//	problem.go    its values and derivatives, as functions of a vector
//	coordinate.go bounds, as changes of coordinates; parameters that are held
//	method.go     what an iterative method is; lm.go, newton.go, lbfgs.go, descent.go are some
//	run.go        starts, the outer loop, the best so far
//	checkpoint.go the state of a run in a file; saved.go its values as JSON
//	generator.go  randomness
//	covariance.go standard errors, confidence intervals, condition; profile.go profiles
//	report.go     the result, for people and as JSON; figure.go as a picture
//	certify.go    the proof of an optimum; global.go that it is the least in a box
//	nuts.go       draws of the posterior; chains.go runs chains, judge.go judges them
package fit

import (
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Kind says what the value of the model means.
type Kind string

// The kinds of model.
const (
	// a prediction of the response; the squared errors are minimised
	Prediction    Kind = "prediction"
	Loss          Kind = "loss"          // a loss, which is minimised
	LogLikelihood Kind = "logLikelihood" // a log-likelihood, which is maximised
)

// Given is a name and the expression that the user gave for it.
type Given struct {
	Name, Text string
}

// Options say what is fitted, and how.
type Options struct {
	Function string // the model
	Kind     Kind
	Data     []string // files, whose rows are concatenated
	Response []string // columns that are predicted
	Start    string   // an expression; "" for the definition `start` of the program
	Set      []Given  // arguments that are not columns
	PerRow   bool     // whether array arguments are cells of a row rather than whole columns

	Weight string // the column of weights, or ""
	Sigma  string // the column of standard deviations, or an expression, or ""

	Robust string // the name of a robust loss, or "" for squares
	// the residual from which on a robust loss differs from squares; 0 to estimate it
	Scale float64

	Bounds []Given // ranges: "0:10", "0:", ":1"
	Priors []Given // distributions
	Hold   []string
	Global bool    // whether the least minimum is wanted, so that all parameters need ranges
	Box    []Given // closed ranges, "0..10", that the least minimum is sought in

	Method     string  // the name of the method; "" to choose one
	Iterations int     // at most; 0 for the method's default
	Rate       float64 // the initial rate of adam and sgd
	Batch      int     // rows per step of adam and sgd; 0 for all
	Starts     int     // how many starting points to try
	Seed       uint64

	Chains int // how many chains draw from the posterior
	Draws  int // draws per chain that are kept
	Warmup int // draws per chain that adapt it and are not kept; 0 for as many as Draws

	Level   float64 // the confidence level
	Profile []string
}

// refuse returns a diagnostic that says why a fit is impossible.
func refuse(at diag.Span, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(diag.CannotFit, at, format, args...)
}

// option returns a place on the command line.
func option(flag, text string) diag.Span {
	return diag.Span{File: diag.NewFile(flag, text), End: int32(len(text))}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "y"); ok {
		what = stem + "ie"
	}
	if strings.HasSuffix(what, "x") {
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}
