"""Holds verify.py against the vectors. Prints how many it judged; exits 1 at the first wrong verdict."""

import base64
import json
import sys
from pathlib import Path

from verify import InvalidSignature, verify_signature

VECTORS = Path(__file__).resolve().parent.parent / "vectors" / "webhook-signatures.json"


def verdict_on(vector):
    body = base64.b64decode(vector["bodyBase64"])
    try:
        verify_signature(body, vector["headers"], vector["secrets"], now=vector["nowSeconds"])
        return None
    except InvalidSignature as error:
        return error.reason


vectors = json.loads(VECTORS.read_text("utf-8"))["vectors"]
for one in vectors:
    verdict = verdict_on(one)
    if verdict != one.get("reason"):
        sys.exit("%s: expected %s, got %s" % (one["name"], one.get("reason"), verdict))
print(len(vectors))
