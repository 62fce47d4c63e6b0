/** How mail leaves. Contract §3, "Password reset". */
import type { PublicContext } from '../context.ts';
import { type LogLevel, log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { visible } from '../shapes/visible.ts';

/** One message to one address. */
interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Opens what the message is about; `text` holds it too. */
  readonly link: string;
}

/** Sends mail; called after the reply. */
interface Mailer {
  /** Never throws: what fails is logged, without address and link. */
  send(mail: Mail): Promise<void>;
}

const TIMEOUT_MS = 10_000;

/** The configured mailer; without one, the local server's log, else one that only says so. */
export function mailerOf(ctx: PublicContext): Mailer {
  const { MAIL_URL, MAIL_TOKEN, LOCAL_SERVER } = ctx.settings;
  if (MAIL_URL !== undefined) return byHttp(ctx, MAIL_URL, MAIL_TOKEN);
  return LOCAL_SERVER === 'true' ? toLog(ctx) : nowhere(ctx);
}

/** Whether mail goes anywhere at all: to a service, or to the local server's log. */
export function hasMailer({ MAIL_URL, LOCAL_SERVER }: Settings): boolean {
  return MAIL_URL !== undefined || LOCAL_SERVER === 'true';
}

function byHttp(ctx: PublicContext, url: string, token: string | undefined): Mailer {
  return {
    async send({ to, subject, text, link }) {
      if (!to.includes('@')) return tell(ctx, 'warn', 'mail not sent: no address');
      const request = new Request(url, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ to, subject, text, link }),
        // What it carries opens an account: it goes where the setting says and nowhere else.
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      try {
        const response = await ctx.outside.fetch(request);
        await response.body?.cancel();
        if (!response.ok) tell(ctx, 'error', 'mail not sent', { status: response.status });
      } catch (thrown) {
        const reason = thrown instanceof Error ? thrown.name : 'unknown';
        tell(ctx, 'error', 'mail not sent', { reason });
      }
    },
  };
}

function toLog(ctx: PublicContext): Mailer {
  return {
    async send({ to, link }) {
      tell(ctx, 'info', 'password reset', { mail_to: visible(to), link });
    },
  };
}

function nowhere(ctx: PublicContext): Mailer {
  return {
    async send() {
      tell(ctx, 'warn', 'mail not sent: no mailer is configured (MAIL_URL)');
    },
  };
}

function tell(ctx: PublicContext, level: LogLevel, message: string, fields: object = {}): void {
  log(level, message, { request_id: ctx.requestId, ...fields });
}
