//! The labels of counts, whose number is bounded.

use std::collections::BTreeSet;

use crate::primitives::ids::AppId;
use crate::primitives::phone::Country;

/// Takes the place of a label whose counts are not kept apart. No app, country or provider has this name.
pub const OTHER: &str = "*";

/// Maximum number of apps whose counts are kept apart in an hour.
const MAX_APPS: usize = 100;

/// Maximum number of combinations of labels in an hour, except those with [`OTHER`] countries and providers.
const MAX_SERIES: usize = 300;

/// The labels of a count. A label is empty if it is unknown or does not apply, or [`OTHER`].
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Series {
    pub app: String,
    /// The country of the person's number or, until it is known, of the number that the person texts.
    pub country: String,
    /// The provider that delivered the text, as in its route.
    pub provider: String,
}

impl Series {
    #[must_use]
    pub(super) fn new(app: &AppId, country: Option<Country>, provider: &str) -> Self {
        Self {
            app: app.as_str().to_owned(),
            country: country
                .map(|country| country.to_string())
                .unwrap_or_default(),
            provider: provider.to_owned(),
        }
    }

    /// Returns the series of an app's counts whose country and provider are not kept apart.
    fn rest_of(app: String) -> Self {
        Self {
            app,
            country: OTHER.to_owned(),
            provider: OTHER.to_owned(),
        }
    }
}

/// The combinations of labels in one hour.
#[derive(Clone, Debug, Default)]
pub struct HourSeries {
    apps: BTreeSet<String>,
    series: BTreeSet<Series>,
}

impl HourSeries {
    /// Adds a combination that is stored already.
    pub fn insert(&mut self, series: Series) {
        if series.app != OTHER && !self.apps.contains(&series.app) {
            self.apps.insert(series.app.clone());
        }
        self.series.insert(series);
    }

    /// Returns the labels under which a count is kept: the given ones, unless the hour has too many. The sums over
    /// all series are exact in any case, and so are those of each app that is kept apart.
    #[must_use]
    pub fn admit(&mut self, series: &Series) -> Series {
        if self.series.contains(series) {
            return series.clone();
        }
        let mut admitted = series.clone();
        if !self.apps.contains(&admitted.app) && self.apps.len() >= MAX_APPS {
            OTHER.clone_into(&mut admitted.app);
        }
        if !self.series.contains(&admitted) && self.series.len() >= MAX_SERIES {
            admitted = Series::rest_of(admitted.app);
        }
        self.insert(admitted.clone());
        admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(app: usize, country: usize) -> Series {
        Series {
            app: format!("app-{app}"),
            country: country.to_string(),
            provider: "twilio".to_owned(),
        }
    }

    #[test]
    fn number_of_series_in_an_hour_is_bounded() {
        let mut hour = HourSeries::default();
        let mut kept = BTreeSet::new();
        for country in 0..250 {
            for app in 0..150 {
                let asked = series(app, country);
                let admitted = hour.admit(&asked);
                // The same labels keep their place within the hour.
                assert_eq!(hour.admit(&asked), admitted);
                assert_eq!(hour.admit(&admitted), admitted);
                let app = if app < MAX_APPS {
                    asked.app.as_str()
                } else {
                    OTHER
                };
                assert_eq!(admitted.app, app);
                kept.insert(admitted);
            }
        }
        assert!(kept.len() <= MAX_SERIES + MAX_APPS + 1, "{}", kept.len());
        assert!(kept.contains(&series(0, 0)));
        assert!(kept.contains(&Series::rest_of("app-0".to_owned())));
    }

    #[test]
    fn stored_series_keep_their_place_after_a_restart() {
        let mut before = HourSeries::default();
        let stored: BTreeSet<Series> = (0..200).map(|n| before.admit(&series(n, n))).collect();
        let mut after = HourSeries::default();
        for one in &stored {
            after.insert(one.clone());
        }
        for n in 0..200 {
            assert_eq!(after.admit(&series(n, n)), before.admit(&series(n, n)));
        }
    }
}
