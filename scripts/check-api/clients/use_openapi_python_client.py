"""Read a wallet's rows with the client of openapi-python-client."""

import sys

from hubledger_client import AuthenticatedClient
from hubledger_client.api.tax import asset_review, events, events_by_post
from hubledger_client.models import AssetDecision, AssetDecisionMode, AssetReview, EventList, Problem
from hubledger_client.models import EventsByPostBody, EventsByPostBodyAssetDecisionsType0

base_url, address, key = sys.argv[1:]
review = asset_review.sync(client=AuthenticatedClient(base_url, key), address=address)
assert isinstance(review, AssetReview)
refused = events.sync_detailed(client=AuthenticatedClient(base_url, key), address=address)
problem = refused.parsed
assert isinstance(problem, Problem)
assert (refused.status_code, problem.code, problem.pending) == (409, "asset_decisions_required", review.pending), problem
decisions = EventsByPostBodyAssetDecisionsType0()
for record in review.records:
    decisions[record.record_id] = AssetDecision(mode=AssetDecisionMode.EXCLUDE)
body = EventsByPostBody(address=[address], asset_decisions=decisions)
answer = events_by_post.sync(client=AuthenticatedClient(base_url, key), body=body)
assert isinstance(answer, EventList)
assert len(answer.events) > 0 and all(row.category for row in answer.events)
