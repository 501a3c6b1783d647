module github.com/countersign/countersign/clients/go

go 1.23.0

require (
	github.com/golang-jwt/jwt/v5 v5.3.1
	golang.org/x/text v0.28.0
)
