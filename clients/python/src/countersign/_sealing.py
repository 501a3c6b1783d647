"""Seals payloads for browsers, as phones do: HPKE (RFC 9180), base mode."""

from cryptography.hazmat.primitives.asymmetric import ec

try:
    from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
except ImportError:
    raise ImportError(
        "countersign.testing needs cryptography 47 or later: install countersign-server[testing]"
    ) from None


def seal(plain: bytes, key: ec.EllipticCurvePublicKey, info: bytes) -> bytes:
    """Returns the encapsulated key, 65 bytes, and the ciphertext."""
    return Suite(KEM.P256, KDF.HKDF_SHA256, AEAD.AES_256_GCM).encrypt(plain, key, info)
