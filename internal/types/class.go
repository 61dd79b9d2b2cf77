package types

import "strings"

// Classes is a set of the built-in classes. The language fixes the members of each class. So a
// constraint is a set of bits on a type variable, and no evidence is passed at run time:
// monomorphisation decides.
type Classes uint8

// The classes, as the reference describes them.
const (
	Scalar Classes = 1 << iota // Int, Real: the types of literals
	Num                        // Int, Real, and arrays of Num
	Vec                        // Real, unit, and tuples, records, arrays of Vec
	Add                        // Int, Real, unit, and tuples, records, arrays of Add
	Eq                         // Int, Bool, String, and tuples, records, arrays, data of Eq
	Ord                        // as Eq
	Cmp                        // every Ord, and Real
	Diff                       // every type without a function in it
)

var classNames = [...]string{"Scalar", "Num", "Vec", "Add", "Eq", "Ord", "Cmp", "Diff"}

// All is the set of all classes.
const All = Diff | (Diff - 1)

// ClassByName finds a class; ok is false if there is none of that name.
func ClassByName(name string) (c Classes, ok bool) {
	for i, n := range classNames {
		if n == name {
			return 1 << i, true
		}
	}
	return 0, false
}

// Names lists the classes of the set.
func (c Classes) Names() []string {
	var names []string
	for i, n := range classNames {
		if c&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return names
}

func (c Classes) String() string { return strings.Join(c.Names(), ", ") }

// implied maps each class, by its bit, to the classes that follow from it.
var implied = [len(classNames)]Classes{
	0: Scalar | Num | Add | Cmp | Diff,
	1: Num | Add | Diff,
	2: Vec | Add | Diff,
	3: Add | Diff,
	4: Eq | Diff,
	5: Ord | Eq | Cmp | Diff,
	6: Cmp | Diff,
	7: Diff,
}

// Closure returns the set with every class that it implies.
func (c Classes) Closure() Classes {
	all := c
	for i, more := range implied {
		if c&(1<<i) != 0 {
			all |= more
		}
	}
	return all
}

// Minimal returns the set without every class that another member implies, which is the form for
// people.
func (c Classes) Minimal() Classes {
	kept := c
	for i, more := range implied {
		if c&(1<<i) != 0 {
			kept &^= more &^ (1 << i)
		}
	}
	return kept
}

// Has reports whether c follows from the set.
func (set Classes) Has(c Classes) bool { return c&^set.Closure() == 0 }

// first returns the class of the set that is listed first, which is the one to report.
func (c Classes) first() Classes { return c & -c }
