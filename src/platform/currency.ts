/**
 * Active ISO 4217 currencies with a minor unit. A table of our own, not `Intl`: ICU's digits differ from ISO 4217 for
 * some currencies (IQD, AFN), and change with the Node release.
 */
const TWO_DIGITS = `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY
  COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR
  JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO
  NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB
  TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`;
const NO_DIGITS = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF';
const THREE_DIGITS = 'BHD IQD JOD KWD LYD OMR TND';

const DIGITS: ReadonlyMap<string, number> = new Map([
  ...entriesOf(TWO_DIGITS, 2),
  ...entriesOf(NO_DIGITS, 0),
  ...entriesOf(THREE_DIGITS, 3),
]);

/** How many decimals the currency's minor unit has (ISO 4217): USD 2, JPY 0, KWD 3. Undefined for an unknown code. */
export function minorDigitsOf(currency: string): number | undefined {
  return DIGITS.get(currency);
}

/** True for an active ISO 4217 code in capitals. */
export function isCurrency(code: string): boolean {
  return DIGITS.has(code);
}

function entriesOf(codes: string, digits: number): [string, number][] {
  return codes.split(/\s+/).map((code) => [code, digits]);
}
