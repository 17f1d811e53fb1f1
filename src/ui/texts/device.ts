/** One device. */
import type { DeviceSettings } from '../../client/index.ts'
import { texts } from './texts.ts'

export const deviceTexts = texts(
  'device',
  {
    send: 'Send a command',
    settings: 'Settings',
    settingsHint: 'An empty field means the general value of the server.',
    newPassword: 'New password',
    newPasswordHint: 'The old password ends at once, and so do its tokens: the device has to log in anew.',
    set: 'Set password',
    isSet: 'The new password is set',
    noClient: 'Nobody can log in as this device yet. Its commands are kept until somebody can.',
    makeClient: 'Let it log in',
    queue: 'Queue',
    queueEmpty: 'Nothing waits for this device.',
    queueMore: 'More wait than are shown here: see all of them.',
    cancel: 'Take back',
    history: 'Latest messages',
    historyEmpty: 'Nothing was sent to this device yet.',
    all: 'All its messages',
    connect: 'Connect this device',
    connectHint: 'Put in its password for PASSWORD. It gets a command, does it, and says what became of it.',
    noTopic:
      'This id has a “/”, “+” or “#”, which cannot be part of an MQTT topic: this device is served over REST only.',
    noMqtt: 'MQTT is switched off on this server.',
    snippets: 'Language',
  },
  {
    send: 'Отправить команду',
    settings: 'Настройки',
    settingsHint: 'Пустое поле означает общее значение сервера.',
    newPassword: 'Новый пароль',
    newPasswordHint:
      'Старый пароль и выданные по нему токены сразу перестанут действовать: устройству придётся войти заново.',
    set: 'Задать пароль',
    isSet: 'Новый пароль задан',
    noClient:
      'Под этим именем пока никто не может войти. Команды хранятся до тех пор, пока вход не разрешат.',
    makeClient: 'Разрешить вход',
    queue: 'Очередь',
    queueEmpty: 'Для этого устройства ничего не ждёт отправки.',
    queueMore: 'Здесь показаны не все: открыть полный список.',
    cancel: 'Отозвать',
    history: 'Последние сообщения',
    historyEmpty: 'Этому устройству ещё ничего не отправляли.',
    all: 'Все сообщения устройства',
    connect: 'Как подключить',
    connectHint:
      'Замените PASSWORD на пароль устройства. Устройство получает команду, выполняет её и сообщает результат.',
    noTopic:
      'В имени есть «/», «+» или «#», недопустимые в теме MQTT: такое устройство работает только по REST.',
    noMqtt: 'MQTT на этом сервере выключен.',
    snippets: 'Язык',
  },
)

/** A setting that is new in the API does not compile before it has words here. */
export const settingTexts = texts(
  'device-settings',
  {
    sendMessagePeriod: 'Least time between two commands over MQTT, in milliseconds',
  } satisfies Record<keyof DeviceSettings, string>,
  {
    sendMessagePeriod: 'Наименьшее время между двумя командами по MQTT, в миллисекундах',
  },
)
