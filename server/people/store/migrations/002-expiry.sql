-- What is over is deleted by its instant.
create index sessions_by_expiry on sessions (expires_at);
create index sign_in_challenges_by_expiry on sign_in_challenges (expires_at);
create index sign_in_links_by_expiry on sign_in_links (expires_at);
create index oidc_visits_by_expiry on oidc_visits (expires_at);
