/** A mail service under test: what it was sent, and what it answers. */

/** What arrived, with the header that admits it. */
interface Delivered {
  readonly url: string;
  readonly authorization: string | null;
  readonly mail: Readonly<Record<'to' | 'subject' | 'text' | 'link', string>>;
}

/** Setup of a gateway whose mail arrives in `delivered`. */
export function mailbox(status = 202) {
  const delivered: Delivered[] = [];
  return {
    delivered,
    setup: {
      bindings: {
        MAIL_URL: 'https://mail.test/send',
        MAIL_TOKEN: 'mail-token',
        RESET_REDIRECT_URLS: 'https://app.test/reset, https://app.test/other?a=b',
      },
      async fetch(request: Request): Promise<Response> {
        const { url, headers } = request;
        const authorization = headers.get('Authorization');
        delivered.push({ url, authorization, mail: await request.json() });
        return new Response('a text of the service', { status });
      },
    },
    /** The token in the link that came last. */
    token(): string {
      const link = delivered.at(-1)?.mail.link;
      return (link === undefined ? null : new URL(link).searchParams.get('token')) ?? '';
    },
  };
}

/** What `work` writes to the log, line by line. */
export async function logged(work: () => Promise<unknown>): Promise<unknown[]> {
  const lines: unknown[] = [];
  const { error } = console;
  console.error = (line: string) => void lines.push(JSON.parse(line));
  try {
    await work();
  } finally {
    console.error = error;
  }
  return lines;
}
