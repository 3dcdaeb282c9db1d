module example/host

go 1.21
