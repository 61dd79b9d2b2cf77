package suite

// instance is one row of the table.
type instance struct {
	name    string
	program string // NAME.flx and c/NAME.c
	make    func(folder string) (*problem, error)
}

// instances lists the instances of ADBench, under their names there, followed by our own.
func instances() []instance {
	return []instance{
		{"gmm_d10_K5", "gmm", gmm(10, 5)},
		{"gmm_d10_K25", "gmm", gmm(10, 25)},
		{"gmm_d20_K25", "gmm", gmm(20, 25)},
		{"gmm_d32_K25", "gmm", gmm(32, 25)},
		{"gmm_d64_K25", "gmm", gmm(64, 25)},
		{"gmm_d128_K10", "gmm", gmm(128, 10)},
		{"ba1", "ba", ba(1, 49, 7776, 31843)},
		{"ba2", "ba", ba(2, 21, 11315, 36455)},
		{"ba3", "ba", ba(3, 161, 48126, 182072)},
		{"ba4", "ba", ba(4, 372, 47423, 204472)},
		{"ba5", "ba", ba(5, 257, 65132, 225911)},
		{"lstm_l2_c1024", "lstm", lstm(2, 1024)},
		{"lstm_l4_c1024", "lstm", lstm(4, 1024)},
		{"hand_simple1", "hand", hand(1, 100, false)},
		{"hand_simple2", "hand", hand(2, 192, false)},
		{"hand_simple3", "hand", hand(3, 200, false)},
		{"hand_simple4", "hand", hand(4, 400, false)},
		{"hand_simple5", "hand", hand(5, 800, false)},
		{"hand_complicated1", "hand", hand(1, 100, true)},
		{"hand_complicated2", "hand", hand(2, 192, true)},
		{"hand_complicated3", "hand", hand(3, 200, true)},

		{"mlp_784_128_10", "mlp", mlp(784, 128, 10, 64)},
		{"rnn_32_1000", "rnn", rnn(32, 1000)},
		{"transformer_64", "transformer", transformer(64, 64, 4)},
		{"conv_28", "conv", conv(16, 28, 8, 5)},
		{"kalman_10000", "kalman", kalman(10_000)},
		{"blackscholes_1e6", "blackscholes", blackScholes(1_000_000)},
		{"lotka_1000", "lotka", lotka(1000)},
		{"hmc_1000", "hmc", hmc(1000)},
		{"sparse_hessian_1e5", "sparse", chain(100_000)},
	}
}
