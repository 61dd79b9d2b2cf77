// Command service is an HTTP service that fits a model on request, within a deadline. The model is
// a Fluxion program in the binary; its gradient is computed by compiled code.
//
//	curl -d '{"times": [0, 1, 2], "values": [10, 6.1, 3.7]}' localhost:8080/fit
package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"log"
	"math"
	"net/http"
	"time"

	"gonum.org/v1/gonum/optimize"

	"github.com/fluxion-lang/fluxion"
)

//go:embed model.flx
var files embed.FS

// Data are measurements to fit the model to.
type Data struct {
	Times  []float64 `json:"times"`
	Values []float64 `json:"values"`
}

// Fit is the answer.
type Fit struct {
	Dose float64 `json:"dose"`
	Rate float64 `json:"rate"`
	Loss float64 `json:"loss"`
}

// service holds the functions of the model. They serve all requests at once.
type service struct {
	deadline time.Duration
	loss     func(ctx context.Context, theta, times, values []float64) (float64, error)
	grad     func(ctx context.Context, grad, theta, times, values []float64) error
}

func newService(deadline time.Duration) (*service, error) {
	program, err := fluxion.LoadFS(files, "model.flx")
	if err != nil {
		return nil, err
	}
	s := &service{deadline: deadline}
	s.loss, err = fluxion.Bind[func(ctx context.Context, theta, times, values []float64) (float64,
		error)](program, "loss")
	if err != nil {
		return nil, err
	}
	s.grad, err = fluxion.Grad[func(ctx context.Context, grad, theta, times,
		values []float64) error](program, "loss")
	return s, err
}

// fit minimises the loss. It ends with the error of the context when that is over.
func (s *service) fit(ctx context.Context, data Data) (Fit, error) {
	var failed error
	problem := optimize.Problem{
		Func: func(theta []float64) float64 {
			y, err := s.loss(ctx, theta, data.Times, data.Values)
			if err != nil {
				failed = err
				return math.NaN()
			}
			return y
		},
		Grad: func(grad, theta []float64) {
			if err := s.grad(ctx, grad, theta, data.Times, data.Values); err != nil {
				failed = err
			}
		},
		Status: func() (optimize.Status, error) {
			if failed != nil {
				return optimize.Failure, failed
			}
			return optimize.NotTerminated, ctx.Err()
		},
	}
	settings := &optimize.Settings{GradientThreshold: 1e-8,
		Converger: &optimize.FunctionConverge{Relative: 1e-12, Iterations: 20}}
	result, err := optimize.Minimize(problem, []float64{0, 0}, settings, &optimize.LBFGS{})
	if failed != nil {
		return Fit{}, failed
	}
	if err != nil {
		return Fit{}, err
	}
	return Fit{math.Exp(result.X[0]), math.Exp(result.X[1]), result.F}, nil
}

// maxBody bounds the bytes of a request.
const maxBody = 1 << 20

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var data Data
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&data); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if len(data.Times) < 2 || len(data.Times) != len(data.Values) {
		http.Error(w, "give as many times as values, and at least two", http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.deadline)
	defer cancel()
	fit, err := s.fit(ctx, data)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		http.Error(w, "the fit took too long", http.StatusGatewayTimeout)
	case err != nil:
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
	default:
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(fit); err != nil {
			log.Print(err)
		}
	}
}

func main() {
	s, err := newService(2 * time.Second)
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("POST /fit", s)
	server := &http.Server{Addr: "localhost:8080", ReadHeaderTimeout: 5 * time.Second}
	log.Printf("fits at http://%s/fit", server.Addr)
	log.Fatal(server.ListenAndServe())
}
