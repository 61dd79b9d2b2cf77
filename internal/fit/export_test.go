package fit

// OnEvaluation has f called before each evaluation of the model.
func (c *Control) OnEvaluation(f func()) { c.evaluates = f }
