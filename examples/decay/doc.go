// Package decay is made from a Fluxion program: functions with their gradients, and a Hessian, that
// depend on the standard library alone.
package decay

//go:generate go run github.com/fluxion-lang/fluxion/cmd/fluxion build decay.flx --fn concentration,loss,misfit,rosenbrock --grad --hessian --wrt theta,drug --target go -o .
