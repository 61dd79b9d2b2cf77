package opt

import "github.com/fluxion-lang/fluxion/internal/core"

// sortDefs orders the definitions so that each group of mutually recursive
// ones is contiguous and stands after all that it uses. Where that leaves a
// choice the order given is kept.
func sortDefs(p *core.Program) {
	var sorted []*core.Def
	for _, group := range groups(p.Defs) {
		sorted = append(sorted, group...)
	}
	p.Defs = sorted
}

// groups gives the strongly connected components of the uses between
// definitions, each after all that it uses: Tarjan's algorithm, with a stack
// of its own because programs may be long chains.
func groups(defs []*core.Def) [][]*core.Def {
	index := make(map[string]int, len(defs))
	for i, d := range defs {
		index[d.Name] = i
	}
	uses := make([][]int, len(defs))
	for i, d := range defs {
		seen := map[int]bool{}
		core.Atoms(d.Body, func(a core.Atom) {
			if g, ok := a.(*core.Global); ok {
				if j, ok := index[g.Name]; ok && !seen[j] {
					seen[j] = true
					uses[i] = append(uses[i], j)
				}
			}
		})
	}

	type frame struct{ node, next int }
	var (
		found [][]*core.Def
		stack []int
		calls []frame
		order = make([]int, len(defs)) // when first seen, from 1; 0: not yet
		low   = make([]int, len(defs))
		open  = make([]bool, len(defs)) // on the stack
		clock int
	)
	enter := func(n int) {
		clock++
		order[n], low[n], open[n] = clock, clock, true
		stack = append(stack, n)
		calls = append(calls, frame{n, 0})
	}
	for root := range defs {
		if order[root] != 0 {
			continue
		}
		enter(root)
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			if f.next < len(uses[f.node]) {
				to := uses[f.node][f.next]
				f.next++
				if order[to] == 0 {
					enter(to)
				} else if open[to] {
					low[f.node] = min(low[f.node], order[to])
				}
				continue
			}
			n := f.node
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				caller := calls[len(calls)-1].node
				low[caller] = min(low[caller], low[n])
			}
			if low[n] == order[n] {
				var group []*core.Def
				for {
					top := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					open[top] = false
					group = append(group, defs[top])
					if top == n {
						break
					}
				}
				reverse(group)
				found = append(found, group)
			}
		}
	}
	return found
}

func reverse(defs []*core.Def) {
	for i, j := 0, len(defs)-1; i < j; i, j = i+1, j-1 {
		defs[i], defs[j] = defs[j], defs[i]
	}
}
