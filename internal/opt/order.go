package opt

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
)

// inOrder concatenates the definitions of groups.
func inOrder(order []group) []*core.Def {
	var sorted []*core.Def
	for _, group := range order {
		sorted = append(sorted, group.defs...)
	}
	return sorted
}

// usesOf returns for each definition the indices of the definitions that it mentions.
func usesOf(defs []*core.Def) [][]int {
	index := make(map[string]int, len(defs))
	for i, d := range defs {
		index[d.Name] = i
	}
	uses := make([][]int, len(defs))
	last := make([]int, len(defs)) // of those that mention each, from 1
	for i, d := range defs {
		core.Atoms(d.Body, func(a core.Atom) {
			if g, ok := a.(*core.Global); ok {
				if j, ok := index[g.Name]; ok && last[j] != i+1 {
					last[j] = i + 1
					uses[i] = append(uses[i], j)
				}
			}
		})
	}
	return uses
}

// group is a set of definitions that use one another, or a single one.
type group struct {
	defs      []*core.Def
	recursive bool
}

// groups returns the strongly connected components of the uses between definitions, each after
// everything that it uses. Where that leaves a choice, the given order is kept. It is Tarjan's
// algorithm with an explicit stack, because programs may be long chains.
func groups(defs []*core.Def, uses [][]int) []group {
	type frame struct{ node, next int }
	var (
		found []group
		stack []int
		calls []frame
		order = make([]int, len(defs)) // when first seen, from 1; 0 if not yet
		low   = make([]int, len(defs))
		open  = make([]bool, len(defs)) // whether it is on the stack
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
				var members []*core.Def
				for {
					top := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					open[top] = false
					members = append(members, defs[top])
					if top == n {
						break
					}
				}
				slices.Reverse(members)
				found = append(found, group{members, len(members) > 1 ||
					slices.Contains(uses[n], n)})
			}
		}
	}
	return found
}
