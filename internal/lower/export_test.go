package lower

import "slices"

// SharedForms are the names of the definitions whose forms are shared.
func (s *Source) SharedForms() (names []string) {
	for def, form := range s.shared {
		if form.low != nil {
			names = append(names, def.Name)
		}
	}
	slices.Sort(names)
	return names
}
