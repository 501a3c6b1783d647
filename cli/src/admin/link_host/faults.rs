//! The words for what is wrong with a link host.

use countersign_domain::app::login::link_files::LinkFileFault;
use countersign_domain::web::callback_url::CallbackUrlError;
use countersign_webhook::client::Failure;
use countersign_webhook::resolver::LookupError;
use countersign_webhook::site::CertificateFault;

use crate::admin::sentence::Sentence;

/// Explains why phones do not accept a certificate.
pub(super) fn refused_certificate(fault: &CertificateFault) -> Sentence {
    let sentence = format!("Phones refuse it: {fault}.");
    match fault {
        CertificateFault::NotResolved(failure) => not_reached(*failure),
        CertificateFault::NotConnected | CertificateFault::NoTls => {
            Sentence::said("link_certificate_no_tls", sentence, [])
        }
        CertificateFault::Expired(at) => {
            Sentence::said("link_certificate_expired", sentence, [("at", at)])
        }
        CertificateFault::NotYetValid(at) => {
            Sentence::said("link_certificate_not_yet_valid", sentence, [("at", at)])
        }
        CertificateFault::OtherNames(names) => Sentence::said(
            "link_certificate_other_names",
            sentence,
            [("names", &names.join(", "))],
        ),
        CertificateFault::NoIntermediate => {
            Sentence::said("link_certificate_no_intermediate", sentence, [])
        }
        CertificateFault::UnknownIssuer => {
            Sentence::said("link_certificate_unknown_issuer", sentence, [])
        }
        CertificateFault::Revoked => Sentence::said("link_certificate_revoked", sentence, []),
        CertificateFault::Other => Sentence::said("link_certificate_refused", sentence, []),
    }
}

/// Explains why phones cannot use a file.
pub(super) fn faulty_file(fault: &LinkFileFault) -> Sentence {
    let sentence = format!("The file is not what phones need: {fault}.");
    match fault {
        LinkFileFault::NoStatements => Sentence::said("link_file_no_statements", sentence, []),
        LinkFileFault::NoDetails => Sentence::said("link_file_no_details", sentence, []),
        LinkFileFault::AppMissing(app) => {
            Sentence::said("link_file_no_app", sentence, [("app", app)])
        }
        LinkFileFault::CertificateMissing {
            package,
            fingerprint,
        } => Sentence::said(
            "link_file_no_certificate",
            sentence,
            [("package", package), ("fingerprint", fingerprint)],
        ),
        LinkFileFault::OtherForm {
            package,
            fingerprint,
        } => Sentence::said(
            "link_file_other_form",
            sentence,
            [("package", package), ("fingerprint", fingerprint)],
        ),
        LinkFileFault::LinkNotCovered(app) => {
            Sentence::said("link_file_not_covered", sentence, [("app", app)])
        }
    }
}

/// Explains why a host was not reached.
pub(super) fn not_reached(failure: Failure) -> Sentence {
    match failure {
        Failure::Dns(LookupError::NotFound) => Sentence::new(
            "link_no_address",
            "The name has no address: make its DNS record.",
            [],
        ),
        Failure::Dns(error) => Sentence::said(
            "link_not_resolved",
            format!("The name was not resolved: {error}."),
            [],
        ),
        Failure::RefusedAddress(address) => Sentence::new(
            "link_private_address",
            "The name leads to an address that phones on the Internet cannot reach ({purpose}).",
            [("purpose", &address.purpose())],
        ),
        Failure::RefusedUrl(CallbackUrlError::Port(port)) => Sentence::new(
            "link_port_refused",
            "Port {port} is not one that this service connects to.",
            [("port", &port)],
        ),
        Failure::RefusedUrl(_) => Sentence::new(
            "link_name_refused",
            "Such a name is not on the Internet.",
            [],
        ),
        failure => Sentence::said(
            "link_no_answer",
            format!("The host did not answer: {failure}."),
            [("failure", &failure.reason().into_str())],
        ),
    }
}
