/** The page at /docs: the API's own description, drawn by a third party's program that the gateway serves. */
import { html } from 'hono/html';
import { type OperationLine, operationLines } from '../help/lines.ts';
import type { AnyRoute } from '../route.ts';
import { RENDERER_PATH } from './renderer-path.ts';

/** Nothing from outside, so that a token typed in here goes nowhere else. The renderer writes style elements. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Scalar's own names. What would lead to its makers' services is off; the policy would not let it anyway. */
const CONFIGURATION = {
  metaData: { title: 'Causeway' },
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'bearer' },
  documentDownloadType: 'json',
  orderSchemaPropertiesBy: 'preserve',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' stroke='%234a90d9' stroke-width='2'%3E%3Cpath d='M0 5h16M2 13a3 3 0 0 1 6 0a3 3 0 0 1 6 0'/%3E%3C/svg%3E";

const STYLE = `
  :root { color-scheme: light dark }
  body { margin: 0; font-family: system-ui, sans-serif }
  .plain { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.5 }
  .plain td { padding: .25rem 1rem .25rem 0; vertical-align: top }`;

/**
 * The page's text. Without scripts it is a plain list of the operations.
 * @param prefix what is before our paths where clients reach us
 */
export async function documentationPage(
  routes: readonly AnyRoute[],
  prefix: string,
): Promise<string> {
  // Requests go to where the page came from: its policy lets them go nowhere else.
  const configuration = { ...CONFIGURATION, servers: [{ url: prefix || '/' }] };
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Causeway</title>
        <link rel="icon" href="${ICON}" />
        <style>${STYLE}</style>
      </head>
      <body>
        <noscript>
          <div class="plain">
            <h1>Causeway</h1>
            <p>
              One authenticated HTTP/JSON API over many databases. With scripts allowed, this page shows
              each operation with its members, errors and examples, out of
              <a href="${prefix}/openapi.json">/openapi.json</a>. Without them, this is what there is:
            </p>
            <table>${operationLines(routes).map(row)}</table>
          </div>
        </noscript>
        <script
          id="api-reference"
          src="${prefix}${RENDERER_PATH}"
          data-url="${prefix}/openapi.json"
          data-configuration="${JSON.stringify(configuration)}"
        ></script>
      </body>
    </html>`;
  return page.toString();
}

/** The page with the policy that it is read under. */
export function pageResponse(page: string): Response {
  return new Response(page, {
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY },
  });
}

function row({ method, path, summary, level }: OperationLine) {
  return html`<tr><td>${method}</td><td><code>${path}</code></td><td>${summary}</td><td>${level}</td></tr>`;
}
