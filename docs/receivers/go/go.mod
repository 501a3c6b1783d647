module countersign.example/receiver

go 1.23.0

require github.com/countersign/countersign/clients/go v0.0.0

require (
	github.com/golang-jwt/jwt/v5 v5.3.1 // indirect
	golang.org/x/text v0.28.0 // indirect
)

// Drop this outside of Countersign's repository.
replace github.com/countersign/countersign/clients/go => ../../../clients/go
