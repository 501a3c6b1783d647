module countersign.example/receiver

go 1.22
