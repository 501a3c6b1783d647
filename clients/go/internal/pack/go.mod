module github.com/countersign/countersign/clients/go/internal/pack

go 1.26.0

require golang.org/x/mod v0.43.0
