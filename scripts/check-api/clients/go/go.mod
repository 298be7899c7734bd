module hubledger.example/client

go 1.24.0

require github.com/oapi-codegen/runtime v1.1.2
