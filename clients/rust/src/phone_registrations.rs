//! Registrations that set up phones without an app.

use std::fmt;

use http::Method;

use crate::call::Call;
use crate::inner::Inner;
use crate::request::{Request, path_of, read, text_member};
use crate::store::{self, WEBHOOK_TTL};
use crate::types::{CreatePhoneRegistration, NewPhoneRegistration, PhoneRegistration};

/// API calls for phone registrations: the browser of a phone without an app becomes one of a user's phones.
#[derive(Clone, Copy)]
pub struct PhoneRegistrations<'a>(pub(crate) &'a Inner);

impl<'a> PhoneRegistrations<'a> {
    /// Begins to set up a phone.
    ///
    /// **Only for a user who has just logged in again**, or who has approved it with another phone. Give the whole
    /// answer to that user's page: anyone who has `url` and `page_token` can add a phone to the account. So log neither.
    /// A retry after a lost answer creates another registration, and the lost one expires.
    pub fn create(self, request: CreatePhoneRegistration) -> Call<'a, NewPhoneRegistration> {
        Call::new(self.0.limits(), move |limits| async move {
            let request = Request::post(path_of(&["phone-registrations"])?, &request)?;
            let answer = self.0.service.call(request, limits).await?;
            let id = text_member(&answer, "registrationId")?.to_owned();
            let created = read(answer, "phone registration")?;
            store::remember(&*self.0.store, &id, WEBHOOK_TTL, async { Ok(()) }).await?;
            Ok(created)
        })
    }

    /// Reads a registration, which the service keeps for a day. Once its state is `Completed`, `key_id` is one of the
    /// user's association keys.
    pub fn get(self, id: &str) -> Call<'a, PhoneRegistration> {
        let path = path_of(&["phone-registrations", id]);
        Call::new(self.0.limits(), move |limits| async move {
            let answer = self.0.service.call(Request::get(path?), limits).await?;
            read(answer, "phone registration")
        })
    }

    /// Cancels a registration whose digits the user has not typed yet.
    pub fn cancel(self, id: &str) -> Call<'a, ()> {
        let path = path_of(&["phone-registrations", id]);
        Call::new(self.0.limits(), move |limits| async move {
            let mut request = Request::new(Method::DELETE, path?);
            request.may_be_empty = true;
            self.0.service.call(request, limits).await.map(|_| ())
        })
    }
}

impl fmt::Debug for PhoneRegistrations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PhoneRegistrations")
    }
}
