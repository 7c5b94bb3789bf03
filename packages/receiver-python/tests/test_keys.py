import threading
import unittest
import unittest.mock
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer

import vectors
from media_buy_receiver import KeyNotFound, PublishedKeys, fetch_json, keys

URL = 'https://sales.example/.well-known/jwks.json'
JWK = vectors.read('keys')['jwks']['keys'][0]


class Web:
    """One document; one that is an exception is raised. Each fetch takes so many seconds."""

    def __init__(self, page=None):
        self.page, self.asked, self.now, self.takes = {'keys': [JWK]} if page is None else page, 0, 0.0, 0

    def __call__(self, _url):
        self.asked += 1
        self.now += self.takes
        if isinstance(self.page, Exception):
            raise self.page
        return self.page

    def keys(self):
        return PublishedKeys(URL, fetch=self, now=lambda: self.now)


class Published(unittest.TestCase):
    def test_a_key_that_is_not_there_says_why(self):
        for page, why in (
            (KeyNotFound('it answers 404'), 'it answers 404'),
            ({'keys': []}, 'has no key'),
            ({'keys': [JWK, JWK]}, 'or several'),
        ):
            with self.subTest(why), self.assertRaisesRegex(KeyNotFound, why):
                Web(page).keys()(JWK['kid'])

    def test_a_set_that_cannot_be_had_or_read_is_no_word_about_the_key(self):
        for page in (OSError('connection refused'), [], {'keys': None}, {'keys': ['x']}, {'keys': [JWK, 1]}):
            with self.subTest(page), self.assertRaises((OSError, TypeError, AttributeError)):
                Web(page).keys()(JWK['kid'])

    def test_keys_are_kept_and_an_unknown_one_is_looked_for_once_in_30_s(self):
        web = Web()
        resolve = web.keys()
        self.assertEqual((resolve(JWK['kid']), resolve(JWK['kid']), web.asked), (JWK, JWK, 1))
        for second, fetches in ((1, 2), (2, 2), (32, 3)):
            web.now = second
            with self.assertRaises(KeyNotFound):
                resolve('another')
            self.assertEqual(web.asked, fetches)

    def test_keys_outlive_an_outage_of_an_hour(self):
        web = Web()
        resolve = web.keys()
        resolve(JWK['kid'])
        web.page, web.now = OSError('down'), 1000
        self.assertEqual(resolve(JWK['kid']), JWK)
        with self.assertRaises(OSError):
            resolve('another')
        web.now = 9000
        with self.assertRaises(OSError):
            resolve(JWK['kid'])

    def test_who_waited_for_a_fetch_that_hung_goes_on_with_the_keys_there_are(self):
        web = Web()
        resolve = web.keys()
        resolve(JWK['kid'])
        web.page, web.now, web.takes = OSError('it hangs'), 400, 5
        for _ in range(3):
            self.assertEqual(resolve(JWK['kid']), JWK)
        self.assertEqual(web.asked, 2)

    def test_a_url_that_is_not_https_raises(self):
        for url in ('http://sales.example/keys', 'https://sales.example', 'https://u:p@a.example/', 'ftp://a.example/', 'x', ''):
            with self.subTest(url), self.assertRaises(ValueError):
                PublishedKeys(url)
        for url in (URL, 'http://127.0.0.1:8080/keys', 'http://localhost/keys'):
            PublishedKeys(url)


class Fetching(unittest.TestCase):
    def test_redirects_are_not_followed_and_large_documents_not_read(self):
        class Pages(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response({'/moved': 302, '/gone': 410, '/down': 503}.get(self.path, 200))
                self.send_header('Location', '/small')
                self.end_headers()
                self.wfile.write(b' ' * 65_537 if self.path == '/large' else b'{"a": 1}')

            def log_message(self, *_):
                pass

        server = HTTPServer(('127.0.0.1', 0), Pages)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f'http://127.0.0.1:{server.server_address[1]}'
        try:
            self.assertEqual(fetch_json(f'{base}/small'), {'a': 1})
            for path, error in (('large', OSError), ('moved', OSError), ('down', OSError), ('gone', KeyNotFound)):
                with self.subTest(path), self.assertRaises(error):
                    fetch_json(f'{base}/{path}')
        finally:
            server.shutdown()
            server.server_close()

    def test_a_document_that_trickles_in_is_given_up_as_a_whole(self):
        over = threading.Event()

        class Trickle(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                # A socket's own time-out would begin anew with each of them.
                while not over.wait(0.02):
                    self.wfile.write(b' ')

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(('127.0.0.1', 0), Trickle)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with unittest.mock.patch.object(keys, 'TIMEOUT_SECONDS', 1), self.assertRaises(TimeoutError):
                fetch_json(f'http://127.0.0.1:{server.server_address[1]}/')
        finally:
            over.set()
            server.shutdown()
            server.server_close()


if __name__ == '__main__':
    unittest.main()
