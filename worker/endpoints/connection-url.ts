/** Takes connection URLs apart. They are looked at, never dialled: that is the relay's. */

/** Parts of a URL, as they are written. RFC 3986, appendix B. */
interface UrlParts {
  /** With `://`. */
  readonly scheme: string;
  readonly userInfo: string | undefined;
  /** One host or several, with ports. */
  readonly hosts: string;
  readonly path: string;
  /** Without the `?`. */
  readonly options: string | undefined;
  /** Without the `#`. */
  readonly fragment: string | undefined;
}

const PARTS =
  /^([a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;

/**
 * The parts; `undefined` for what is no URL, and where an `@` after the hosts leaves open which
 * of it is a password: drivers read such texts in different ways.
 */
export function splitUrl(url: string): UrlParts | undefined {
  const [, scheme, userInfo, hosts = '', path = '', options, fragment] = PARTS.exec(url) ?? [];
  if (scheme === undefined) return undefined;
  if ([path, options, fragment].some((part) => part?.includes('@'))) return undefined;
  return { scheme, userInfo, hosts, path, options, fragment };
}
