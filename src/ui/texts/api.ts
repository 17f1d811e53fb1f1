/** The way to the API. */
import { texts } from './texts.ts'

export const apiTexts = texts(
  'api',
  {
    lead: 'All that this page does goes through the API, and so can your programs.',
    docs: 'Try it in the browser',
    docsHint:
      'Every operation with its fields and answers, made from the running code. Log in at its top, then send requests from there.',
    openDocs: 'Open the docs page',
    description: 'Description to download',
    descriptionHint: 'OpenAPI 3.1, for generators of clients, for Postman, for tests.',
    address: 'Where it is',
    token: 'From a shell',
    tokenHint: 'Log in once; the token goes with every request until it ends.',
    javascript: 'From JavaScript',
    javascriptHint: 'For Node 20 and browsers, typed, part of the package.',
  },
  {
    lead: 'Всё, что делает эта страница, идёт через API. То же доступно и вашим программам.',
    docs: 'Попробовать в браузере',
    docsHint:
      'Все операции с полями и ответами, составлено по работающему коду. Войдите в верхней части страницы и отправляйте запросы прямо оттуда.',
    openDocs: 'Открыть документацию',
    description: 'Скачать описание',
    descriptionHint: 'OpenAPI 3.1: для генераторов клиентов, Postman и тестов.',
    address: 'Где находится',
    token: 'Из командной строки',
    tokenHint: 'Войдите один раз; токен передаётся с каждым запросом, пока не истечёт.',
    javascript: 'Из JavaScript',
    javascriptHint: 'Для Node 20 и браузеров, с типами, входит в пакет.',
  },
)
