// Package fit estimates the parameters of a model from data. It is given a loaded unit, the name of
// a function in it and files of data, and hands on estimates with their uncertainty: as a report,
// as JSON, as a picture, and with a proof if one is asked for. It knows nothing of the command
// line.
//
// The model is an ordinary function of the program. What is minimised is a text that applies the
// model to the data (text.go), loaded like any other text, so that the types of the parameters
// decide how the data is read, and derivatives are those of the language. Everything outside of
// that text is iteration, and lives here:
//
//	text.go       the program that is fitted, made from the model and the data
//	problem.go    its values and derivatives, as functions of a vector
//	coordinate.go bounds, as changes of coordinates; parameters that are held
//	method.go     what an iterative method is; lm.go, newton.go, lbfgs.go, descent.go are some
//	run.go        starts, the outer loop, the best so far
//	checkpoint.go the state of a run in a file; saved.go its values as JSON; generator.go randomness
//	covariance.go standard errors, confidence intervals, condition; profile.go profiles
//	report.go     the result, for people and as JSON; figure.go as a picture
//	certify.go    the proof of an optimum
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
	Prediction    Kind = "prediction"    // of the response, whose squared errors are minimised
	Loss          Kind = "loss"          // to be minimised
	LogLikelihood Kind = "logLikelihood" // to be maximised
)

// Given is a name with an expression that the user writes.
type Given struct {
	Name, Text string
}

// Options say what is fitted, and how.
type Options struct {
	Function string // the model
	Kind     Kind
	Data     []string // files, whose rows are joined
	Response []string // columns that are predicted
	Start    string   // an expression; "" for the definition `start` of the program
	Set      []Given  // arguments that are not columns
	PerRow   bool     // arrays among the arguments are cells of a row, not whole columns

	Weight string // the column of weights, or ""
	Sigma  string // the column of standard deviations, or an expression, or ""

	Robust string // the name of a robust loss, or "" for squares
	// of residuals, from which on a robust loss differs from squares; 0 to estimate it
	Scale float64

	Bounds []Given // ranges: "0:10", "0:", ":1"
	Priors []Given // distributions
	Hold   []string

	Method     string  // "" for what suits
	Iterations int     // at most; 0 for what suits the method
	Rate       float64 // the first step of adam and sgd
	Batch      int     // rows of a step of adam and sgd; 0 for all
	Starts     int     // how many starting points are tried
	Seed       uint64

	Chains int // of draws of the posterior
	Draws  int // of each, that are kept
	Warmup int // draws that adapt a chain, and are not kept; 0 for as many

	Level   float64 // of confidence
	Profile []string
}

// refuse returns the diagnostic for what cannot be fitted.
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
	return fmt.Sprintf("%d %ss", n, what)
}
