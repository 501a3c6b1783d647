package countersign

// approvalLogin is a login of the service with what makes it an approval.
type approvalLogin struct {
	InspectedSession
	// CheckCodeRequired is a pointer, so that absence shows: digits may then be awaited.
	CheckCodeRequired *bool `json:"checkCodeRequired"`
}

// listedKeys are a user's registered keys.
type listedKeys struct {
	Keys []struct {
		RegisteredAssociationKey
		PublicKey string `json:"publicKey"`
	} `json:"keys"`
}
