package countersign

// ProblemCode is the stable name of a problem, such as phone_number_not_possible. docs/problems.md lists the known
// ones, and constants name them. The service may add others.
type ProblemCode = string
