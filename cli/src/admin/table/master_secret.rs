//! The webhook secret of a deployment on AWS.

use std::sync::Arc;

use async_trait::async_trait;
use countersign_aws::config::SecretName;
use countersign_aws::secrets;
use countersign_aws::services::Services;
use countersign_domain::delivery::master_secret::MasterSecrets;
use countersign_domain::primitives::unavailable::Unavailable;

use crate::admin::AdminError;
use crate::admin::deployment;
use crate::admin::master_secret::{Decide, MasterSecretStore};
use crate::failure::Failure;

/// Maximum number of times that a change is decided. Each repetition means that another administrator
/// changed the secret in the meantime.
const MAX_DECISIONS: usize = 16;

/// The secret in Secrets Manager to which the deployment's table refers.
pub(super) struct DeploymentMasterSecret {
    services: Services,
    secret: SecretName,
}

impl DeploymentMasterSecret {
    pub(super) async fn find(services: &Services, table: &str) -> Result<Self, Failure> {
        Ok(Self {
            secret: deployment::webhook_secret(services, table).await?,
            services: services.clone(),
        })
    }
}

#[async_trait]
impl MasterSecretStore for DeploymentMasterSecret {
    async fn in_force(&self) -> Result<Arc<MasterSecrets>, AdminError> {
        let secrets = secrets::webhooks(&self.services, &self.secret).await?;
        Ok(Arc::new(secrets))
    }

    async fn change(&self, decide: &Decide) -> Result<MasterSecrets, AdminError> {
        for _ in 0..MAX_DECISIONS {
            let seen = secrets::read_to_change(&self.services, &self.secret).await?;
            let before = seen.text.as_deref().map(str::parse).transpose();
            let before = before.map_err(|error| Unavailable::new("secret for webhooks", error))?;
            let changed = decide(before)?;
            let text = changed.reveal();
            if secrets::replace(&self.services, &self.secret, &seen, &text).await? {
                return Ok(changed);
            }
        }
        let why = "other administrators keep changing it";
        Err(Unavailable::new("secret for webhooks", why).into())
    }
}
