import { normalizeHost, registrableDomain } from '../domain/normalize-domain.ts';

/**
 * The domain an e-mail address proves a company by; undefined for a free-mail address (rule R7), for a public suffix,
 * and for what is no address.
 */
export function corporateDomainOf(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  if (at < 1) return undefined;
  const domain = normalizeHost(email.slice(at + 1));
  if (
    domain === undefined ||
    /[^\w.-]/.test(
      email
        .slice(at + 1)
        .normalize('NFKC')
        .replace(/\p{L}|\p{M}/gu, 'a'),
    )
  )
    return undefined;
  const registrable = registrableDomain(domain);
  return registrable === null || isFreeMailDomain(domain) || isFreeMailDomain(registrable) ? undefined : domain;
}

/** E-mail providers whose addresses say nothing of a company; subdomains and country twins of these included below. */
const PROVIDERS = `
gmail.com googlemail.com outlook.com hotmail.com live.com msn.com passport.com yahoo.com ymail.com rocketmail.com
icloud.com me.com mac.com aol.com aim.com protonmail.com proton.me pm.me tutanota.com tutanota.de tutamail.com tuta.io
tuta.com keemail.me fastmail.com fastmail.fm hey.com zoho.com zohomail.com zohomail.eu mail.com email.com usa.com
consultant.com engineer.com post.com dr.com gmx.com gmx.de gmx.net gmx.at gmx.ch gmx.fr gmx.us web.de freenet.de
t-online.de arcor.de mailbox.org posteo.de posteo.net mail.de email.de kabelmail.de orange.fr wanadoo.fr laposte.net
free.fr sfr.fr neuf.fr bbox.fr voila.fr libero.it virgilio.it alice.it tin.it tiscali.it email.it fastwebnet.it
inwind.it iol.it telefonica.net terra.es ya.com ono.com sapo.pt clix.pt ziggo.nl kpnmail.nl hetnet.nl planet.nl
xs4all.nl home.nl telenet.be skynet.be proximus.be bluewin.ch hispeed.ch sunrise.ch aon.at chello.at bredband.net
telia.com spray.se passagen.se online.no broadpark.no mail.dk ofir.dk jubii.dk elisanet.fi luukku.com suomi24.fi
wp.pl o2.pl onet.pl onet.eu interia.pl interia.eu poczta.fm op.pl gazeta.pl tlen.pl seznam.cz email.cz centrum.cz
volny.cz azet.sk zoznam.sk centrum.sk freemail.hu citromail.hu indamail.hu abv.bg mail.bg dir.bg yahoo.ro
mail.ru inbox.ru list.ru bk.ru internet.ru yandex.ru yandex.com ya.ru rambler.ru lenta.ru ukr.net i.ua meta.ua
bigmir.net tut.by inbox.lv inbox.lt one.lt mynet.com btinternet.com btopenworld.com virginmedia.com virgin.net
ntlworld.com blueyonder.co.uk sky.com talktalk.net tiscali.co.uk plusnet.com eircom.net comcast.net verizon.net
att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net juno.com netzero.net optonline.net
roadrunner.com rr.com windstream.net frontier.com centurylink.net q.com mindspring.com rogers.com shaw.ca
sympatico.ca bell.net telus.net videotron.ca bigpond.com bigpond.net.au optusnet.com.au iinet.net.au tpg.com.au
xtra.co.nz qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com tom.com 139.com 189.cn 21cn.com
aliyun.com naver.com hanmail.net daum.net nate.com docomo.ne.jp ezweb.ne.jp softbank.ne.jp nifty.com biglobe.ne.jp
rediffmail.com indiatimes.com sify.com uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com r7.com
oi.com.br prodigy.net.mx walla.co.il walla.com netvision.net.il mweb.co.za telkomsa.net vodamail.co.za webmail.co.za
mailinator.com guerrillamail.com guerrillamail.net sharklasers.com 10minutemail.com temp-mail.org tempmail.com
yopmail.com yopmail.fr throwawaymail.com maildrop.cc getnada.com dispostable.com trashmail.com mailnesia.com
mailcatch.com fakeinbox.com spamgourmet.com discard.email moakt.com mintemail.com mohmal.com emailondeck.com
duck.com mozmail.com privaterelay.appleid.com simplelogin.com anonaddy.me lavabit.com hushmail.com runbox.com
disroot.org riseup.net inbox.com lycos.com excite.com mailfence.com startmail.com cock.li
`;

/** Brands that give addresses under many country suffixes, such as `yahoo.co.jp`. */
const BRANDS = new Set([
  'gmail',
  'googlemail',
  'hotmail',
  'outlook',
  'live',
  'yahoo',
  'ymail',
  'msn',
  'aol',
  'yandex',
  'gmx',
]);

const LISTED = new Set(PROVIDERS.trim().split(/\s+/));

/** Whether a canonical domain gives addresses to anybody (rule R7). */
function isFreeMailDomain(domain: string): boolean {
  if (LISTED.has(domain)) return true;
  const [brand = '', ...suffix] = domain.split('.');
  return BRANDS.has(brand) && suffix.length <= 2 && suffix.every((label) => label.length <= 3);
}
