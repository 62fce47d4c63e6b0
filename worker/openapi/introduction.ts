/** What a newcomer reads before the operations: how to get a token, and what all operations have alike. */

/** Markdown: `info.description`. Its examples are run by test/docs.test.ts. @param gateway where clients reach it */
export const introduction = (
  gateway: string,
): string => `One authenticated HTTP/JSON API over many databases.

## Your first request

Log in to your organization, here \`acme\`, with your user name and password. \`POST /api/v1/new\` makes an
organization, and \`npm start -- --demo\` makes this one, with a database to query:

\`\`\`sh
API=${gateway}/api/v1
curl -sS $API/auth/login -H 'X-Org-Id: acme' \\
  -u 'ada@example.com:your password'
\`\`\`

The reply holds a \`token\`. Every other request carries it:

\`\`\`sh
TOKEN='eyJhbGci…'
curl -sS $API/endpoints \\
  -H "Authorization: Bearer $TOKEN"
\`\`\`

The examples of all operations are about one organization, \`acme\`, and its endpoint \`shop\`, which holds the
customers, products and orders of a small shop.

On the page at \`/docs\`, paste it under **Authentication**; **Test Request** then sends real requests
to this gateway.

## What all operations have alike

- **Errors** have one shape, \`{error, message, code, request_id, details?}\`. Programs go by \`code\`,
  which stays; people by \`message\`, which says what would be right.
- **Lists** take \`limit\` and \`cursor\`, and answer \`next_cursor\` while there is more.
- **No digit is lost**: numbers that a double cannot hold travel as they are, both ways.
- \`X-Request-Id\` is echoed, or made, and stands on every reply and in every log line.
- A GET of one thing carries an \`ETag\`; PATCH and DELETE honour \`If-Match\`.
- POST and PATCH take an \`Idempotency-Key\`: the same key and body answer the first reply again.
`;
