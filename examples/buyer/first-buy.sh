#!/bin/sh
# A buyer's first media buy, by curl: AGENT_URL and API_KEY say with whom.
set -eu
: "${AGENT_URL:=http://127.0.0.1:8080}" "${END_TIME:=$(date -u -d '+90 days' +%Y-%m-%dT00:00:00Z)}"
ID=$(date +%s)-$$

# ask SKILL INPUT: one call over A2A, answered when its task is over, or after 20 seconds with the state it has.
ask() {
  curl -sS --fail-with-body "$AGENT_URL/a2a/jsonrpc" \
    -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' -H 'A2A-Version: 1.0' \
    -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{\"message\":{
      \"messageId\":\"$1-$ID\",\"role\":\"ROLE_USER\",\"parts\":[{\"data\":{\"skill\":\"$1\",\"input\":$2}}]}}}"
  echo
}

ask get_products '{"brief":"podcasts for runners","limit":3}'
ask create_media_buy "{
  \"buyer_ref\":\"first-buy-$ID\",\"idempotency_key\":\"first-buy-$ID\",
  \"brand_manifest\":{\"name\":\"Acme Outdoor\",\"url\":\"https://acme-outdoor.example\"},
  \"packages\":[{\"product_id\":\"podcast_network_dynamic\",\"pricing_option_id\":\"podcast_fixed_usd\",\"budget\":10000}],
  \"start_time\":{\"type\":\"asap\"},\"end_time\":\"$END_TIME\"}"
