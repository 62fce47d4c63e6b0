/** The page at /docs: the operations of the API, made from its routes. */
import { html } from 'hono/html';
import type { AnyRoute } from '../http/route.ts';
import { type OperationLine, operationLines } from './routes.ts';
import { VERSION } from './version.ts';

/** Nothing from outside, and no script. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
  table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; padding: .35rem .75rem; border-bottom: 1px solid #8884; vertical-align: top }
  code { font-size: .9em } td:first-child { font-weight: 600 }
  @media (prefers-color-scheme: dark) { body { background: #111; color: #ddd } a { color: #8bf } }`;

/** A plain page that lists every operation with its level. */
export async function documentationPage(routes: readonly AnyRoute[]): Promise<Response> {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Causeway ${VERSION}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <h1>Causeway ${VERSION}</h1>
        <p>
          One authenticated HTTP/JSON API over many databases. Send a token of
          <code>/api/v1/auth/login</code> as <code>Authorization: Bearer …</code>;
          <code>/api/v1/help</code> answers this list as JSON.
        </p>
        <table>
          <thead>
            <tr><th>Method</th><th>Path</th><th>What it does</th><th>Level</th></tr>
          </thead>
          <tbody>
            ${operationLines(routes).map(row)}
          </tbody>
        </table>
      </body>
    </html>`;
  return new Response(page.toString(), {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': POLICY,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    },
  });
}

function row({ method, path, summary, level }: OperationLine) {
  return html`<tr>
    <td>${method}</td>
    <td><code>${path}</code></td>
    <td>${summary}</td>
    <td>${level}</td>
  </tr>`;
}
