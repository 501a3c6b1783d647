//! Keys with which phones prove who confirmed a login, registered with the service.

use std::fmt;

use http::Method;

use crate::call::Call;
use crate::error::Error;
use crate::inner::Inner;
use crate::request::{Members, Request, list_member, path_of, read, text_member};
use crate::retry::Limits;
use crate::types::{AssociationKeyId, RegisterKey, RegisteredKey};

/// API calls for association keys.
#[derive(Clone, Copy)]
pub struct AssociationKeys<'a>(pub(crate) &'a Inner);

impl<'a> AssociationKeys<'a> {
    /// Registers a user's key. Always provide the signature, which proves that the phone has the private
    /// half.
    pub fn register(self, key: RegisterKey) -> Call<'a, AssociationKeyId> {
        Call::new(self.0.limits(), move |limits| async move {
            let request = Request::post(path_of(&["association-keys"])?, &key)?;
            let answer = self.0.service.call(request, limits).await?;
            text_member(&answer, "keyId")?;
            read(answer, "key")
        })
    }

    /// Returns the active keys of a user, oldest first.
    pub fn list(self, public_user_id: &str) -> Call<'a, Vec<RegisteredKey>> {
        let user = public_user_id.to_owned();
        Call::new(self.0.limits(), move |limits| async move {
            let entries = self.entries(user, limits).await?;
            entries
                .into_iter()
                .map(|entry| read(entry, "key"))
                .collect()
        })
    }

    /// Revokes a key permanently.
    pub fn revoke(self, key_id: &str) -> Call<'a, AssociationKeyId> {
        let path = path_of(&["association-keys", key_id]);
        Call::new(self.0.limits(), move |limits| async move {
            let request = Request::new(Method::DELETE, path?);
            read(self.0.service.call(request, limits).await?, "key")
        })
    }

    /// Returns the user's active keys as listed by the service.
    pub(crate) async fn entries(self, user: String, limits: Limits) -> Result<Vec<Members>, Error> {
        let mut request = Request::get(path_of(&["association-keys"])?);
        request.query = vec![("publicUserId", user)];
        list_member(&mut self.0.service.call(request, limits).await?, "keys")
    }
}

impl fmt::Debug for AssociationKeys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AssociationKeys")
    }
}
