//! Types of phone numbers.

/// The type of a number by the numbering plan of its country. `voip` only where the country gives
/// such services a range of their own; `fixed_line_or_mobile` where it gives both the same numbers.
// Ordered as libphonenumber tries them.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
    utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = ResultNumberType)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum NumberType {
    /// The caller pays more than for other calls.
    PremiumRate,
    /// The owner pays for calls.
    TollFree,
    /// Caller and owner share the cost of calls.
    SharedCost,
    /// Only where a country has a separate range for services on the Internet.
    Voip,
    /// The number follows a person from line to line.
    Personal,
    Pager,
    /// A company's single number for all its locations ("universal access number").
    Uan,
    Voicemail,
    FixedLine,
    Mobile,
    /// Either of the two: the country uses the same numbers for both.
    FixedLineOrMobile,
}

impl NumberType {
    /// The types with separate patterns, in the order of the cells of `plans.txt`.
    pub(super) const IN_PLANS: [Self; 10] = [
        Self::PremiumRate,
        Self::TollFree,
        Self::SharedCost,
        Self::Voip,
        Self::Personal,
        Self::Pager,
        Self::Uan,
        Self::Voicemail,
        Self::FixedLine,
        Self::Mobile,
    ];
}
