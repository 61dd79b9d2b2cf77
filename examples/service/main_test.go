package main

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

func post(t *testing.T, s *service, body string) *httptest.ResponseRecorder {
	t.Helper()
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/fit", strings.NewReader(body)))
	return answer
}

func TestFit(t *testing.T) {
	s, err := newService(10 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var data Data
	for k := range 20 {
		time := float64(k) / 4
		data.Times, data.Values = append(data.Times, time), append(data.Values,
			12*math.Exp(-0.7*time))
	}
	body, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			answer := post(t, s, string(body))
			var fit Fit
			if err := json.Unmarshal(answer.Body.Bytes(), &fit); err != nil {
				t.Errorf("%d: %s", answer.Code, answer.Body)
				return
			}
			if math.Abs(fit.Dose-12) > 1e-4 || math.Abs(fit.Rate-0.7) > 1e-5 {
				t.Errorf("%+v", fit)
			}
		})
	}
	wait.Wait()
	for body, code := range map[string]int{
		"{": http.StatusBadRequest, `{"times": [1], "values": [1]}`: http.StatusBadRequest,
		`{"times": [1, 2], "values": [1]}`: http.StatusBadRequest,
	} {
		if answer := post(t, s, body); answer.Code != code {
			t.Errorf("%s: %d", body, answer.Code)
		}
	}
}

func TestDeadline(t *testing.T) {
	s, err := newService(time.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	if answer := post(t, s,
		`{"times": [1, 2, 3], "values": [3, 2, 1]}`); answer.Code != http.StatusGatewayTimeout {
		t.Errorf("%d: %s", answer.Code, answer.Body)
	}
}
