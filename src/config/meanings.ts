/**
 * Explains the settings in the languages of the admin page. The table of settings has the English texts. They are here and not
 * on the page, because only the list of settings shows them.
 */
export const MEANING_LANGUAGES = ['en', 'ru'] as const
export type MeaningLanguage = (typeof MEANING_LANGUAGES)[number]

/** Meanings by the property in the configuration file. */
export const RUSSIAN_MEANINGS: Readonly<Record<string, string>> = {
  'server.address': 'Адрес, на котором сервер принимает соединения; 0.0.0.0 — на всех адресах этой машины',
  'server.port': 'Порт; 0 — любой свободный',
  'server.adapter':
    'Сервер HTTP: node (строгий) или uws (быстрее, для доверенных сетей; нужен uWebSockets.js)',
  'server.trusted-proxies':
    'Адреса и диапазоны CIDR прокси, чьему X-Forwarded-For можно верить; в переменной — через запятую',
  'server.body-limit': 'Наибольший размер тела запроса',
  'server.cors-origins':
    'Источники, например https://app.example, чьи страницы могут обращаться к брокеру; * — все; в переменной — через запятую',
  'server.max-connections':
    'Наибольшее число соединений HTTP одновременно, вместе с MQTT через WebSocket; лишнее сразу закрывается',
  'endpoints.prefix':
    'Каталог с файлами обработчиков; флаг можно повторять, переменная — список как PATH; @broker — брокер, @docs — описание API',
  'endpoints.watch': 'Перечитывать файлы обработчиков при изменении, для разработки',
  'data.dir': 'Каталог сообщений и секретов; если его нет, создаётся с правами 0700',
  'storage.url':
    'PostgreSQL для нескольких узлов: postgres://USER:PASSWORD@HOST:PORT/DATABASE, хосты через запятую; пароль лучше задать в переменной или файле',
  'storage.change-settings':
    'Сделать настройки этого узла общими для всех узлов на одном PostgreSQL, на один запуск',
  'storage.allow-data-loss':
    'Работать с PostgreSQL без fsync или full_page_writes: сбой может потерять команды и повредить базу',
  'mqtt.address': 'Адрес MQTT; off выключает MQTT, в том числе через WebSocket',
  'mqtt.node-address':
    'Адрес, по которому другие узлы на том же PostgreSQL подключаются к MQTT этого узла, если он не равен --mqtt',
  'mqtt.max-connections': 'Наибольшее число соединений MQTT одновременно; лишнее сразу закрывается',
  'mqtt.proxy-protocol':
    'Соединения MQTT от доверенных прокси начинаются с заголовка PROXY protocol версии 2 с адресом клиента, перед TLS',
  'mqtt.extra-topics':
    'Фильтры топиков, открытые всем клиентам помимо топиков брокера, для телеметрии; в переменной — через запятую',
  'mqtt.qos': 'Качество обслуживания (QoS) команд и статусов, которые публикует брокер',
  'common.sendMessagePeriod': 'Наименьшее время между двумя командами одному устройству',
  'common.mqttWaitResponseTimeout':
    'Время, за которое устройство должно подтвердить команду по MQTT, прежде чем она будет отправлена снова',
  'common.maxAttempts':
    'Число попыток без подтверждения, после которого команда приостанавливается; 0 — никогда',
  'app.valid.seconds':
    'Срок, в течение которого отправляется команда без собственного срока; 0 — без ограничения',
  'app.idempotency.hours': 'Сколько хранится ключ идемпотентности; 0 — ключи не учитываются',
  'app.waits.limit': 'Наибольшее число одновременно ждущих запросов; на лишний ответ приходит сразу',
  'tls.cert':
    'Файл PEM с сертификатом и его цепочкой; если задан, HTTP и MQTT работают только по TLS (адаптер node); изменённый файл загружается без перезапуска',
  'tls.key': 'Файл PEM с закрытым ключом сертификата',
  'app.jwt.secret': 'Секрет для подписи токенов, не менее 32 байт в UTF-8',
  'app.jwt.expiration-ms': 'Срок действия токена, округляется до секунд',
  'app.security.permit-all': 'Отключает все проверки доступа, для разработки и тестов',
  'app.security.permit-all-exposed': 'Разрешает app.security.permit-all на адресе, доступном извне',
  'app.security.own-queue-only':
    'Ограничивает устройство или программу собственным id: свои команды, свои результаты и статусы своих сообщений',
  'app.admin.id': 'Id первого администратора; создаётся при запуске, если администратора ещё нет',
  'app.admin.password': 'Пароль первого администратора, не более 72 байт в UTF-8, или его хеш bcrypt',
  'app.queue.limit': 'Наибольшее число команд в очереди одного устройства',
  'app.queue.bytes': 'Наибольший объём команд и данных в очереди одного устройства; 0 — без ограничения',
  'app.history.days': 'Сколько хранится завершённое сообщение после последнего изменения; 0 — всегда',
  'app.audit.days': 'Сколько хранится запись журнала изменений; 0 — всегда',
  'app.device-log.days': 'Сколько хранится период присутствия устройства; 0 — не хранится',
  'app.device-log.addresses': 'Хранить адреса, с которых подключаются устройства',
  'app.devices.expected-seconds':
    'Время, после которого о пропавшем устройстве предупреждает DEVICE_SILENT; 0 — никогда',
  'app.incidents.days': 'Сколько хранится инцидент после завершения; 0 — всегда',
  'app.metrics.public': 'Открывает /metrics без токена',
  'log.level': 'Наименьший уровень записей в журнале; debug записывает каждый шаг каждого сообщения',
  'log.requests': 'Записывать каждый запрос HTTP на уровне debug, без параметров и тела',
}
