/** Where a reset's link may lead: a token sent to the wrong place is an account given away. Contract §3. */
import { badRequest } from '../../proto/errors.ts';
import { publicUrl } from '../public-url.ts';
import type { Settings } from '../settings.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * The URL that a client asks for, if it is on the configured list. With an empty list a local
 * server takes any http URL of this machine, and others take none.
 * @throws GatewayError BAD_REQUEST
 */
export function allowedRedirect(settings: Settings, redirectUrl: string): URL {
  const url = URL.canParse(redirectUrl) ? new URL(redirectUrl) : undefined;
  if (url && isAllowed(settings, url)) return url;
  const message = 'is not one of the allowed URLs';
  throw badRequest('redirectUrl', message);
}

/**
 * Where the link of a reset leads that we start ourselves: the list's first, else our own `/docs`.
 * Undefined where that is not known: never what a request says about where it came to.
 */
export function ownRedirect(settings: Settings): URL | undefined {
  const base = publicUrl(settings);
  const redirect = settings.RESET_REDIRECT_URLS[0] ?? (base && `${base}/docs`);
  return redirect === undefined ? undefined : new URL(redirect);
}

/** `{redirectUrl}?token=…` */
export function linkTo(redirect: URL, token: string): string {
  const link = new URL(redirect);
  link.searchParams.set('token', token);
  return link.href;
}

function isAllowed(settings: Settings, url: URL): boolean {
  const list = settings.RESET_REDIRECT_URLS;
  if (list.length > 0) {
    return list.some((each) => URL.canParse(each) && new URL(each).href === url.href);
  }
  const plain = url.username === '' && url.password === '';
  return (
    settings.LOCAL_SERVER === 'true' &&
    plain &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    LOOPBACK.test(url.hostname)
  );
}
