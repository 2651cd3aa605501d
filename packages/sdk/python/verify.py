"""Verifies webhooks of Tradepost. Python 3.8 or newer, standard library only.

    from verify import verify_webhook, InvalidSignature

    try:
        event = verify_webhook(request.get_data(), request.headers, secret)
    except InvalidSignature:
        return "", 401

Give it the raw bytes of the body, before anything parses them. The same event can come more than
once, with the same event["id"].
"""

import base64
import hashlib
import hmac
import json
import re
import time

TOLERANCE_SECONDS = 300

_ID = re.compile(r"[A-Za-z0-9_-]{1,128}\Z", re.ASCII)
_TIMESTAMP = re.compile(r"[0-9]{1,12}\Z", re.ASCII)
_PART = re.compile(r"([a-z][a-z0-9]*)=([A-Za-z0-9_-]+)\Z", re.ASCII)
# The last of 43 characters has two bits too many, which must be zero: one signature, one spelling.
_SIGNATURE = re.compile(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]\Z", re.ASCII)


class InvalidSignature(Exception):
    """The delivery is not to be believed. `reason` is missing_header, malformed_header, stale,
    mismatch or malformed_body."""

    key = "INVALID_SIGNATURE"

    def __init__(self, reason, message):
        super().__init__(message)
        self.reason = reason


def verify_webhook(body, headers, secret, tolerance_seconds=TOLERANCE_SECONDS, now=None):
    """Returns the event of a delivery, or raises InvalidSignature."""
    delivery_id = verify_signature(body, headers, secret, tolerance_seconds, now)
    try:
        event = json.loads(body.decode("utf-8"))
    except ValueError:
        event = None
    if not isinstance(event, dict) or event.get("id") != delivery_id:
        raise InvalidSignature("malformed_body", "the body is not the event of its webhook-id")
    return event


def verify_signature(body, headers, secret, tolerance_seconds=TOLERANCE_SECONDS, now=None):
    """Returns the webhook-id of a delivery that is signed with the secret, or with one of several."""
    if not isinstance(body, (bytes, bytearray)):
        raise TypeError("body must be the raw bytes of the request")
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets or not all(isinstance(one, str) and one for one in secrets):
        raise TypeError("secret must be the webhook secret, or several")

    delivery_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signature = _header(headers, "webhook-signature")
    if not _ID.match(delivery_id):
        raise _malformed("webhook-id")
    if not _TIMESTAMP.match(timestamp):
        raise _malformed("webhook-timestamp")
    signatures = _signatures(signature, timestamp)

    seconds = int(time.time() if now is None else now)
    if abs(seconds - int(timestamp)) > tolerance_seconds:
        raise InvalidSignature("stale", "signed at %s, and it is %d" % (timestamp, seconds))

    signed = b"%s.%s." % (delivery_id.encode("ascii"), timestamp.encode("ascii")) + bytes(body)
    # Every pair is compared, so that the time taken does not reveal which one matched.
    matches = 0
    for one in secrets:
        expected = _sign(one, signed)
        for given in signatures:
            matches += hmac.compare_digest(expected, given)
    if matches == 0:
        raise InvalidSignature("mismatch", "no signature is that of this secret and body")
    return delivery_id


def _sign(secret, signed):
    digest = hmac.new(secret.encode("utf-8"), signed, hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def _signatures(header, timestamp):
    parts = {}
    for part in header.split(","):
        match = _PART.match(part)
        if match is None or match.group(1) in parts:
            raise _malformed("webhook-signature")
        parts[match.group(1)] = match.group(2)
    if parts.get("t") != timestamp or "s" not in parts:
        raise _malformed("webhook-signature")
    signatures = [parts[name] for name in ("s", "s1") if name in parts]
    if not all(_SIGNATURE.match(one) for one in signatures):
        raise _malformed("webhook-signature")
    return signatures


def _header(headers, name):
    """Frameworks spell names in their own ways, and some look them up without regard to case."""
    values = [value for known, value in headers.items() if known.lower() == name and value]
    if not values:
        raise InvalidSignature("missing_header", "there is no %s header" % name)
    if len(values) > 1 or not isinstance(values[0], str):
        raise _malformed(name)
    return values[0]


def _malformed(name):
    return InvalidSignature("malformed_header", "the %s header does not have its form" % name)
