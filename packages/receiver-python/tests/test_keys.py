import socket
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

import vectors
from media_buy_receiver import Fetched, KeyNotFound, NotFetched, agent_keys, fetch_json
from media_buy_receiver.fetch import is_public

AGENT = 'https://sales.example'
BRAND = f'{AGENT}/.well-known/brand.json'
JWKS = f'{AGENT}/keys'
CARD = f'{AGENT}/.well-known/agent-card.json'
JWK = vectors.read('keys')['jwks']['keys'][0]


def documents(**more):
    brand = {'agents': [{'type': 'sales', 'url': AGENT, 'jwks_uri': JWKS}]}
    card = {'supportedInterfaces': [{'url': f'{AGENT}/a2a/jsonrpc'}]}
    return {BRAND: brand, JWKS: {'keys': [JWK]}, CARD: card, **more}


class Web:
    """Documents by URL; one that is an exception is raised, and None is a 404."""

    def __init__(self, pages):
        self.pages, self.asked = pages, []

    def __call__(self, url):
        self.asked.append(url)
        page = self.pages.get(url)
        if isinstance(page, Exception):
            raise page
        answer = Fetched(404 if page is None else 200, b'null')
        answer.json = page
        return answer


class AgentKeys(unittest.TestCase):
    def test_the_agent_is_found_by_any_spelling_and_by_the_url_of_its_card(self):
        for url in (AGENT, f'{AGENT}/', 'HTTPS://SALES.example:443', f'{AGENT}/a2a/jsonrpc', CARD):
            with self.subTest(url):
                found = agent_keys(url, fetch=Web(documents()))(JWK['kid'])
                self.assertEqual((found.jwk, found.sender), (JWK, AGENT))

    def test_a_key_that_is_not_there_says_why(self):
        for pages, why in (
            (documents(**{BRAND: None}), 'is not there'),
            (documents(**{BRAND: {'agents': []}}), 'it lists no agent'),
            (documents(**{JWKS: {'keys': []}}), 'has 0 keys'),
            (documents(**{JWKS: {'keys': [JWK, JWK]}}), 'has 2 keys'),
        ):
            with self.subTest(why), self.assertRaisesRegex(KeyNotFound, why):
                agent_keys(AGENT, fetch=Web(pages))(JWK['kid'])

    def test_a_document_that_cannot_be_fetched_is_no_word_about_the_key(self):
        web = Web(documents(**{JWKS: NotFetched('connection refused')}))
        with self.assertRaisesRegex(NotFetched, 'connection refused'):
            agent_keys(AGENT, fetch=web)(JWK['kid'])

    def test_who_waited_for_a_fetch_that_hung_goes_on_with_the_keys_there_are(self):
        now, web = [0.0], Web(documents())

        def hanging(url):
            if now[0] < 61:
                return web(url)
            web.asked.append(url)
            now[0] += 5
            raise NotFetched('it hangs')

        keys = agent_keys(AGENT, fetch=hanging, cache=60, now=lambda: now[0])
        keys(JWK['kid'])
        now[0] = 61.0
        keys(JWK['kid'])
        asked = len(web.asked)
        keys(JWK['kid'])
        self.assertEqual(len(web.asked), asked)

    def test_keys_are_kept_and_an_unknown_one_is_looked_for_once_in_30_s(self):
        clock, web = [0.0], Web(documents())
        resolve = agent_keys(AGENT, fetch=web, now=lambda: clock[0])
        resolve(JWK['kid'])
        resolve(JWK['kid'])
        self.assertEqual(len(web.asked), 2)
        for second, fetches in ((1, 4), (2, 4), (32, 6)):
            clock[0] = second
            with self.assertRaises(KeyNotFound):
                resolve('another')
            self.assertEqual(len(web.asked), fetches)
        web.pages[BRAND] = OSError('down')
        clock[0] = 1000
        self.assertEqual(resolve(JWK['kid']).jwk, JWK)
        clock[0] = 9000
        with self.assertRaises(OSError):
            resolve(JWK['kid'])


class Fetching(unittest.TestCase):
    def test_only_public_addresses_may_be_connected_to(self):
        for address in ('8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'):
            self.assertTrue(is_public(address), address)
        for address in (
            *('127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '100.100.100.200'),
            *('0.0.0.0', '224.0.0.1', '240.0.0.1', '192.0.2.1', '198.18.0.1', '168.63.129.16', '192.88.99.1'),
            *('::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'ff02::1', '2001:db8::1', '2002:a00:1::', '2001::1'),
            *('::ffff:10.0.0.1', '64:ff9b::a00:1', '64:ff9b:1::a00:1', '::10.0.0.1', '2606:4700::5efe:a00:1'),
            *('4000::1', 'fd00:ec2::254', 'localhost', '', '1.2.3'),
        ):
            self.assertFalse(is_public(address), address)

    def test_what_is_not_https_to_a_name_is_not_asked_for(self):
        for url in (
            *('http://sales.example/', 'https://10.0.0.1/', 'https://8.8.8.8/', 'https://[2606:4700::1111]/', 'ftp://a.example/'),
            *('https://localhost/', 'https://a.localhost/', 'https://127.0.0.1/', 'https://2130706433/', 'https://0x7f.1/'),
            *('https://u:p@sales.example/', 'https://sales.example:0/', 'https://sales.example:99999/', 'https:///x', 'x'),
            *('https://', 'https://./', 'https://sales.example/a b', 'https://sales.example/\n', 'https://[::1/'),
        ):
            with self.subTest(url), self.assertRaises(NotFetched):
                fetch_json(url)

    def test_a_name_for_an_address_of_this_machine_is_refused_as_it_is_connected_to(self):
        real = socket.getaddrinfo
        socket.getaddrinfo = lambda *_args, **_named: [(socket.AF_INET, socket.SOCK_STREAM, 6, '', ('127.0.0.1', 443))]
        try:
            with self.assertRaisesRegex(NotFetched, 'an address of this name is refused'):
                fetch_json('https://sales.example/')
        finally:
            socket.getaddrinfo = real

    def test_redirects_are_not_followed_and_large_documents_not_read(self):
        class Pages(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(302 if self.path == '/moved' else 200)
                self.send_header('Location', '/small')
                self.end_headers()
                self.wfile.write(b' ' * 65_537 if self.path == '/large' else b'{"a": 1}')

            def log_message(self, *_):
                pass

        server = HTTPServer(('127.0.0.1', 0), Pages)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f'http://127.0.0.1:{server.server_address[1]}'
        try:
            self.assertEqual(fetch_json(f'{base}/small', allow_loopback=True).json, {'a': 1})
            with self.assertRaisesRegex(NotFetched, '64 KiB'):
                fetch_json(f'{base}/large', allow_loopback=True)
            self.assertEqual(fetch_json(f'{base}/moved', allow_loopback=True).status, 302)
            with self.assertRaises(NotFetched):
                fetch_json(f'{base}/small')
        finally:
            server.shutdown()
            server.server_close()


if __name__ == '__main__':
    unittest.main()
