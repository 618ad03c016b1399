module joulie.io/bench/extender

go 1.24
