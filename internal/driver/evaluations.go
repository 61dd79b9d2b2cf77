package driver

import "sync"

const (
	maxEvaluations    = 64   // the most evaluations that Evaluations keeps
	maxEvaluationText = 4096 // the most bytes of a text that is kept
)

// Evaluations caches compiled expressions by their texts, and keeps those used most recently. The
// zero Evaluations is empty. It is safe for concurrent use.
type Evaluations struct {
	mu    sync.Mutex
	kept  map[string]*keptEvaluation
	clock uint64 // counts uses
}

type keptEvaluation struct {
	*Evaluation
	used uint64 // the clock at the last use
}

// Find returns the evaluation that is kept for a text, or nil.
func (k *Evaluations) Find(text string) *Evaluation {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.kept[text]
	if e == nil {
		return nil
	}
	k.clock++
	e.used = k.clock
	return e.Evaluation
}

// Keep keeps the evaluation of a text, unless the text reads data files, which may change.
func (k *Evaluations) Keep(text string, e *Evaluation) {
	if len(text) > maxEvaluationText || e.unit.ReadsData() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil {
		k.kept = map[string]*keptEvaluation{}
	}
	if k.kept[text] == nil && len(k.kept) >= maxEvaluations {
		oldest := ""
		for text, e := range k.kept {
			if oldest == "" || e.used < k.kept[oldest].used {
				oldest = text
			}
		}
		delete(k.kept, oldest)
	}
	k.clock++
	k.kept[text] = &keptEvaluation{e, k.clock}
}
