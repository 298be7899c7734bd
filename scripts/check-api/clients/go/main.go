// The wallet's summary by the client of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"hubledger.example/client/hubledger"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	url, address := os.Args[1], os.Args[2]
	background := context.Background()
	client, err := hubledger.NewClientWithResponses(url)
	must(err)
	review, err := client.AssetReviewWithResponse(background, &hubledger.AssetReviewParams{Address: address})
	must(err)
	records := review.JSON200.Records

	year := "2026"
	refused, err := client.SummaryWithResponse(background, &hubledger.SummaryParams{Address: address, Year: &year})
	must(err)
	problem := refused.ApplicationproblemJSON409
	if problem == nil || problem.Code != "asset_decisions_required" || len(records) == 0 {
		log.Fatalf("refused with %d: %s", refused.StatusCode(), refused.Body)
	}
	if problem.Pending == nil || int(*problem.Pending) != len(records) {
		log.Fatalf("pending: %v of %d", problem.Pending, len(records))
	}

	decisions := map[string]hubledger.AssetDecision{}
	for _, record := range records {
		decisions[record.RecordId] = hubledger.AssetDecision{Mode: "exclude"}
	}
	text, err := json.Marshal(decisions)
	must(err)
	given := string(text)
	summary, err := client.SummaryWithResponse(background, &hubledger.SummaryParams{
		Address: address, Year: &year, AssetDecisions: &given,
	})
	must(err)
	if summary.StatusCode() != http.StatusOK || summary.JSON200 == nil || len(summary.JSON200.Wallets) != 1 {
		log.Fatalf("the summary answers %d: %s", summary.StatusCode(), summary.Body)
	}
}
