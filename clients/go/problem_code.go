package countersign

// ProblemCode is the stable name of a problem, such as phone_number_not_possible. docs/problems.md lists the known
// codes, and there is a constant for each. The service may add new ones.
type ProblemCode = string
