/** The page of a sign-in link: opening it does nothing, for previews and prefetches do; its button sends the form that redeems the link. */
import { hash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem; }
button { font: inherit; padding: .5rem 1.5rem; }
`;

/** The page sends its form to its own site, and loads nothing. */
export const LINK_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The page as HTML, the same for every link: whether one still works is told to who redeems it. With the referrer policy of other
 * answers, which is none, browsers would send `Origin: null` along with the form.
 */
export const LINK_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<meta name="robots" content="noindex">
<title>hubledger: sign in</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Sign in</h1>
<p>This link signs this browser in, once. Where somebody is signed in here already, it takes their place.</p>
<form method="post"><button autofocus>Sign in</button></form>
</body>
</html>
`;
