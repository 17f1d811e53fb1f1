/** The sign-in. */
import { texts } from './texts.ts'

export const signInTexts = texts(
  'sign-in',
  {
    title: 'Sign in',
    lead: 'Commands to devices, delivered.',
    deviceId: 'Client id',
    password: 'Password',
    enter: 'Sign in',
    expired: 'Your session has ended. Sign in to go on where you were.',
    wrong: 'The id or the password is wrong.',
    tooMany: 'Too many failed attempts. Wait a minute, then try again.',
    isDevice: 'This client is a device. The page is for clients with the role MAN.',
    hintTitle: 'Where is the first password?',
    hint: 'At its first start the server makes the client “admin” and prints its password once: look for “password” in the log. If you started it with ADMIN_PASSWORD, it is that one.',
  },
  {
    title: 'Вход',
    lead: 'Доставка команд на устройства.',
    deviceId: 'Имя клиента',
    password: 'Пароль',
    enter: 'Войти',
    expired: 'Сеанс завершён. Войдите, чтобы продолжить с того же места.',
    wrong: 'Неверное имя или пароль.',
    tooMany: 'Слишком много неудачных попыток. Подождите минуту и попробуйте снова.',
    isDevice: 'Этот клиент — устройство. Страница предназначена для клиентов с ролью MAN.',
    hintTitle: 'Где взять первый пароль?',
    hint: 'При первом запуске сервер создаёт клиента «admin» и один раз выводит его пароль: найдите слово «password» в журнале. Если сервер запущен с ADMIN_PASSWORD, то пароль взят оттуда.',
  },
)
