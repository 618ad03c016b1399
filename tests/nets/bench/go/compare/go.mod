module joulie.io/bench/compare

go 1.24
