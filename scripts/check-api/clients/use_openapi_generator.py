"""Read a wallet's rows with the client of openapi-generator for Python."""

import sys

from openapi_client import ApiClient, AssetDecision, Configuration, EventsByPostRequest, Problem, TaxApi
from openapi_client.exceptions import ConflictException
from openapi_client.models.events_by_post_request_address import EventsByPostRequestAddress

base_url, address = sys.argv[1:]
api = TaxApi(ApiClient(Configuration(host=base_url)))
records = api.asset_review(address).records
try:
    api.events(address)
    sys.exit("not refused")
except ConflictException as refused:
    problem = refused.data
assert isinstance(problem, Problem)
assert (problem.code, problem.pending) == ("asset_decisions_required", len(records)), problem
decisions = {record.record_id: AssetDecision(mode="exclude") for record in records}
body = EventsByPostRequest(address=EventsByPostRequestAddress([address]), assetDecisions=decisions)
rows = api.events_by_post(body).events
assert len(rows) > 0 and all(row.category for row in rows)
