<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="es" sourcelanguage="en">
<context>
    <name>ActionText</name>
    <message>
        <source>&amp;Open Folder…</source>
        <translation>&amp;Abrir carpeta…</translation>
    </message>
    <message>
        <source>Show the pools whose image files lie in a folder</source>
        <translation>Mostrar los pools cuyos archivos de imagen están en una carpeta</translation>
    </message>
    <message>
        <source>This &amp;Machine</source>
        <translation>Este &amp;equipo</translation>
    </message>
    <message>
        <source>Show the pools on the devices of this machine</source>
        <translation>Mostrar los pools de los dispositivos de este equipo</translation>
    </message>
    <message>
        <source>&amp;Refresh</source>
        <translation>Act&amp;ualizar</translation>
    </message>
    <message>
        <source>Look for pools again</source>
        <translation>Volver a buscar pools</translation>
    </message>
    <message>
        <source>&amp;Import Read-Only</source>
        <translation>&amp;Importar en solo lectura</translation>
    </message>
    <message>
        <source>Open this pool for reading; nothing on its disks is changed</source>
        <translation>Abrir este pool para lectura; nada cambia en sus discos</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>E&amp;xportar</translation>
    </message>
    <message>
        <source>Unmount this pool and close it</source>
        <translation>Desmontar este pool y cerrarlo</translation>
    </message>
    <message>
        <source>&amp;Check</source>
        <translation>&amp;Comprobar</translation>
    </message>
    <message>
        <source>Read and verify everything in this pool</source>
        <translation>Leer y comprobar todo lo que hay en este pool</translation>
    </message>
    <message>
        <source>&amp;Mount</source>
        <translation>&amp;Montar</translation>
    </message>
    <message>
        <source>Make the files of this dataset visible in a folder</source>
        <translation>Hacer visibles en una carpeta los archivos de este conjunto de datos</translation>
    </message>
    <message>
        <source>&amp;Unmount</source>
        <translation>&amp;Desmontar</translation>
    </message>
    <message>
        <source>Take the files of this dataset out of the folder again</source>
        <translation>Quitar de la carpeta los archivos de este conjunto de datos</translation>
    </message>
    <message>
        <source>Open Fol&amp;der</source>
        <translation>&amp;Abrir carpeta</translation>
    </message>
    <message>
        <source>Show the files of this dataset in the file manager</source>
        <translation>Mostrar los archivos de este conjunto de datos en el gestor de archivos</translation>
    </message>
    <message>
        <source>&amp;Copy Rows</source>
        <translation>&amp;Copiar filas</translation>
    </message>
    <message>
        <source>Copy the selected rows of the table</source>
        <translation>Copiar las filas seleccionadas de la tabla</translation>
    </message>
    <message>
        <source>&amp;Save Table…</source>
        <translation>&amp;Guardar tabla…</translation>
    </message>
    <message>
        <source>Save the table as a CSV file</source>
        <translation>Guardar la tabla como archivo CSV</translation>
    </message>
    <message>
        <source>&amp;Filter Datasets</source>
        <translation>&amp;Filtrar conjuntos de datos</translation>
    </message>
    <message>
        <source>Show only datasets whose name holds a text</source>
        <translation>Mostrar solo los conjuntos de datos cuyo nombre contiene un texto</translation>
    </message>
    <message>
        <source>Datasets as &amp;List</source>
        <translation>Conjuntos de datos como &amp;lista</translation>
    </message>
    <message>
        <source>Show datasets with full names, sorted over the whole pool</source>
        <translation>Mostrar los conjuntos de datos con su nombre completo, ordenados en todo el pool</translation>
    </message>
    <message>
        <source>&amp;Pool</source>
        <translation>&amp;Pool</translation>
    </message>
    <message>
        <source>&amp;Dataset</source>
        <translation>Con&amp;junto de datos</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ver</translation>
    </message>
</context>
<context>
    <name>Advice</name>
    <message>
        <source>Devices are missing, and the copies that are left are not enough to read the pool.</source>
        <translation>Faltan dispositivos y las copias restantes no bastan para leer el pool.</translation>
    </message>
    <message>
        <source>Connect the missing devices and try again.</source>
        <translation>Conecte los dispositivos que faltan e inténtelo de nuevo.</translation>
    </message>
    <message>
        <source>Some files are damaged and could not be rebuilt from any copy.</source>
        <translation>Algunos archivos están dañados y no se han podido reconstruir a partir de ninguna copia.</translation>
    </message>
    <message>
        <source>Restore the files listed below from a backup, or delete them.</source>
        <translation>Restaure los archivos indicados abajo desde una copia de seguridad, o elimínelos.</translation>
    </message>
    <message>
        <source>A device is being rebuilt. Until that is done the pool has less redundancy.</source>
        <translation>Se está reconstruyendo un dispositivo. Hasta que termine, el pool tiene menos redundancia.</translation>
    </message>
    <message>
        <source>Wait for the resilver to finish.</source>
        <translation>Espere a que termine la resincronización (resilver).</translation>
    </message>
    <message>
        <source>A device has no usable label. The other copies are enough to read everything.</source>
        <translation>Un dispositivo no tiene una etiqueta utilizable. Las demás copias bastan para leerlo todo.</translation>
    </message>
    <message>
        <source>Replace the device.</source>
        <translation>Sustituya el dispositivo.</translation>
    </message>
    <message>
        <source>A device could not be opened. The other copies are enough to read everything.</source>
        <translation>No se ha podido abrir un dispositivo. Las demás copias bastan para leerlo todo.</translation>
    </message>
    <message>
        <source>Connect the device, or replace it.</source>
        <translation>Conecte el dispositivo o sustitúyalo.</translation>
    </message>
    <message>
        <source>A device was switched off by an administrator. The other copies are enough to read everything.</source>
        <translation>Un administrador ha desactivado un dispositivo. Las demás copias bastan para leerlo todo.</translation>
    </message>
    <message>
        <source>Bring the device back online, or replace it.</source>
        <translation>Vuelva a poner en línea el dispositivo o sustitúyalo.</translation>
    </message>
    <message>
        <source>A device was taken out. The other copies are enough to read everything.</source>
        <translation>Se ha retirado un dispositivo. Las demás copias bastan para leerlo todo.</translation>
    </message>
    <message>
        <source>Put the device back, or replace it.</source>
        <translation>Vuelva a colocar el dispositivo o sustitúyalo.</translation>
    </message>
    <message>
        <source>A device had too many errors and is no longer used.</source>
        <translation>Un dispositivo ha tenido demasiados errores y ya no se usa.</translation>
    </message>
    <message>
        <source>Replace the device, or clear its errors if it is sound.</source>
        <translation>Sustituya el dispositivo, o borre sus errores si está bien.</translation>
    </message>
    <message>
        <source>A device returned errors. Everything was rebuilt from other copies.</source>
        <translation>Un dispositivo ha devuelto errores. Todo se ha reconstruido a partir de otras copias.</translation>
    </message>
    <message>
        <source>Check the device and its cable; replace it if errors come back.</source>
        <translation>Compruebe el dispositivo y su cable; sustitúyalo si vuelven los errores.</translation>
    </message>
    <message>
        <source>The pool has an old on-disk version. It works, without what newer versions brought.</source>
        <translation>El pool tiene una versión antigua en disco. Funciona, sin lo que trajeron versiones más nuevas.</translation>
    </message>
    <message>
        <source>Nothing needs to be done. An upgrade shuts out software that knows no feature flags.</source>
        <translation>No hay que hacer nada. Una actualización excluye el software que no conoce los feature flags.</translation>
    </message>
    <message>
        <source>Some features that this program knows are not enabled. The pool works without them.</source>
        <translation>Algunas características que este programa conoce no están activadas. El pool funciona sin ellas.</translation>
    </message>
    <message>
        <source>Nothing needs to be done. An upgrade shuts out software that lacks those features.</source>
        <translation>No hay que hacer nada. Una actualización excluye el software que carece de esas características.</translation>
    </message>
</context>
<context>
    <name>CheckPanel</name>
    <message>
        <source>Problems found by the check</source>
        <translation>Problemas encontrados en la comprobación</translation>
    </message>
    <message>
        <source>Starting the check of %1</source>
        <translation>Iniciando la comprobación de %1</translation>
    </message>
    <message>
        <source>The check failed.</source>
        <translation>La comprobación ha fallado.</translation>
    </message>
    <message>
        <source>The check was cancelled.</source>
        <translation>La comprobación se ha cancelado.</translation>
    </message>
    <message>
        <source>%1 was not checked</source>
        <translation>%1 no se ha comprobado</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>Comprobar de nuevo</translation>
    </message>
    <message>
        <source>Checking %1</source>
        <translation>Comprobando %1</translation>
    </message>
    <message>
        <source>Every block is read and compared. No problem found so far.</source>
        <translation>Se lee y compara cada bloque. Ningún problema hasta ahora.</translation>
    </message>
    <message>
        <source>No pool is selected</source>
        <translation>Ningún pool seleccionado</translation>
    </message>
    <message>
        <source>%1 is imported</source>
        <translation>%1 está importado</translation>
    </message>
    <message>
        <source>A check reads a pool that is not in use. Export it first.</source>
        <translation>La comprobación lee un pool que no está en uso. Expórtelo primero.</translation>
    </message>
    <message>
        <source>%1 has not been checked</source>
        <translation>%1 aún no se ha comprobado</translation>
    </message>
    <message>
        <source>A check reads every copy of every block, recomputes parity, and compares what the pool says about itself. It writes nothing and can take as long as reading the disks.</source>
        <translation>La comprobación lee cada copia de cada bloque, recalcula la paridad y compara lo que el pool dice de sí mismo. No escribe nada y puede tardar tanto como leer los discos.</translation>
    </message>
    <message>
        <source>Check now</source>
        <translation>Comprobar ahora</translation>
    </message>
    <message>
        <source>No problem found in %1</source>
        <translation>No se han encontrado problemas en %1</translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n problema</numerusform>
            <numerusform>%n problemas</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 so far; the check goes on.</source>
        <translation>%1 hasta ahora; la comprobación continúa.</translation>
    </message>
    <message>
        <source>%1. %2 datasets, %3 blocks, %4 read in %5 s.</source>
        <translation>%1. %2 conjuntos de datos, %3 bloques, %4 leídos en %5 s.</translation>
    </message>
    <message>
        <source>%1 are awaiting a resilver, which is not damage.</source>
        <translation>%1 esperan una resincronización (resilver), lo que no es un daño.</translation>
    </message>
</context>
<context>
    <name>DBusClient</name>
    <message>
        <source>The helper has ended.</source>
        <translation>El asistente ha terminado.</translation>
    </message>
    <message>
        <source>The helper that is running (%1) speaks version %2 of the interface, this window version %3. Close all windows, end the helper, and start again.</source>
        <translation>El asistente en ejecución (%1) habla la versión %2 de la interfaz, esta ventana la versión %3. Cierre todas las ventanas, termine el asistente y empiece de nuevo.</translation>
    </message>
    <message>
        <source>The helper is not running.</source>
        <translation>El asistente no está en ejecución.</translation>
    </message>
</context>
<context>
    <name>DatasetModel</name>
    <message>
        <source>Yes</source>
        <translation>Sí</translation>
    </message>
    <message>
        <source>No</source>
        <translation>No</translation>
    </message>
    <message>
        <source>Not mounted</source>
        <translation>No montado</translation>
    </message>
    <message>
        <source>Mounted at %1</source>
        <translation>Montado en %1</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 bytes</translation>
    </message>
</context>
<context>
    <name>DatasetPanel</name>
    <message>
        <source>Datasets</source>
        <translation>Conjuntos de datos</translation>
    </message>
    <message>
        <source>Filter datasets by name</source>
        <translation>Filtrar conjuntos de datos por nombre</translation>
    </message>
    <message>
        <source>Reading the datasets of %1</source>
        <translation>Leyendo los conjuntos de datos de %1</translation>
    </message>
    <message>
        <source>Asking what is mounted</source>
        <translation>Consultando qué está montado</translation>
    </message>
    <message>
        <source>The datasets of %1 could not be read</source>
        <translation>No se han podido leer los conjuntos de datos de %1</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Reintentar</translation>
    </message>
    <message>
        <source>%1 is not imported</source>
        <translation>%1 no está importado</translation>
    </message>
    <message>
        <source>Import it read-only to see and mount its datasets. Nothing is written to its disks.</source>
        <translation>Impórtelo en solo lectura para ver y montar sus conjuntos de datos. No se escribe nada en sus discos.</translation>
    </message>
    <message>
        <source>Import read-only</source>
        <translation>Importar en solo lectura</translation>
    </message>
    <message>
        <source>%1 cannot be imported</source>
        <translation>%1 no se puede importar</translation>
    </message>
    <message numerus="yes">
        <source>%n dataset(s)</source>
        <translation>
            <numerusform>%n conjunto de datos</numerusform>
            <numerusform>%n conjuntos de datos</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 de %2</translation>
    </message>
</context>
<context>
    <name>ErrorText</name>
    <message>
        <source>You are not allowed to do this.</source>
        <translation>No tiene permiso para hacer esto.</translation>
    </message>
    <message>
        <source>You are not allowed to do this: %1</source>
        <translation>No tiene permiso para hacer esto: %1</translation>
    </message>
    <message>
        <source>The helper did not answer in time. A disk may be slow or not respond.</source>
        <translation>El asistente no ha respondido a tiempo. Puede que un disco sea lento o no responda.</translation>
    </message>
    <message>
        <source>The storage helper is not running.</source>
        <translation>El asistente de almacenamiento no está en ejecución.</translation>
    </message>
    <message>
        <source>The helper&apos;s answer could not be understood: %1</source>
        <translation>No se ha entendido la respuesta del asistente: %1</translation>
    </message>
    <message>
        <source>The helper refused: %1</source>
        <translation>El asistente lo ha rechazado: %1</translation>
    </message>
    <message>
        <source>Connecting to the storage helper of this machine</source>
        <translation>Conectando con el asistente de almacenamiento de este equipo</translation>
    </message>
    <message>
        <source>Starting the storage helper</source>
        <translation>Iniciando el asistente de almacenamiento</translation>
    </message>
    <message>
        <source>The storage helper is ready</source>
        <translation>El asistente de almacenamiento está listo</translation>
    </message>
    <message>
        <source>The storage helper has ended</source>
        <translation>El asistente de almacenamiento ha terminado</translation>
    </message>
    <message>
        <source>The storage helper has another version</source>
        <translation>El asistente de almacenamiento tiene otra versión</translation>
    </message>
    <message>
        <source>The storage helper of this machine cannot be reached</source>
        <translation>No se puede contactar con el asistente de almacenamiento de este equipo</translation>
    </message>
    <message>
        <source>The storage helper could not be started</source>
        <translation>No se ha podido iniciar el asistente de almacenamiento</translation>
    </message>
    <message>
        <source>It reads disks and image files for this window.</source>
        <translation>Lee discos y archivos de imagen para esta ventana.</translation>
    </message>
    <message>
        <source>Pools that were open in it are closed; nothing on the disks was changed. It can be started again.</source>
        <translation>Los pools que tenía abiertos están cerrados; nada ha cambiado en los discos. Se puede iniciar de nuevo.</translation>
    </message>
</context>
<context>
    <name>HeadingText</name>
    <message>
        <source>Name</source>
        <translation>Nombre</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>Usado</translation>
    </message>
    <message>
        <source>Available</source>
        <translation>Disponible</translation>
    </message>
    <message>
        <source>Referenced</source>
        <translation>Referenciado</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>Razón</translation>
    </message>
    <message>
        <source>Mountpoint</source>
        <translation>Punto de montaje</translation>
    </message>
    <message>
        <source>Mounted</source>
        <translation>Montado</translation>
    </message>
    <message>
        <source>Snapshot</source>
        <translation>Instantánea</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Creada</translation>
    </message>
</context>
<context>
    <name>HealthText</name>
    <message>
        <source>Online</source>
        <translation>En línea</translation>
    </message>
    <message>
        <source>Degraded</source>
        <translation>Degradado</translation>
    </message>
    <message>
        <source>Faulted</source>
        <translation>Con fallos</translation>
    </message>
    <message>
        <source>Unavailable</source>
        <translation>No disponible</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>Fuera de línea</translation>
    </message>
    <message>
        <source>Removed</source>
        <translation>Retirado</translation>
    </message>
    <message>
        <source>Suspended</source>
        <translation>Suspendido</translation>
    </message>
    <message>
        <source>Spare, ready</source>
        <translation>Repuesto, listo</translation>
    </message>
    <message>
        <source>Spare, in use</source>
        <translation>Repuesto, en uso</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Desconocido</translation>
    </message>
</context>
<context>
    <name>HelperStatus</name>
    <message>
        <source>helper not started</source>
        <translation>asistente no iniciado</translation>
    </message>
    <message>
        <source>helper is starting</source>
        <translation>el asistente se está iniciando</translation>
    </message>
    <message>
        <source>helper %1 is running</source>
        <translation>el asistente %1 está en ejecución</translation>
    </message>
    <message>
        <source>helper has ended</source>
        <translation>el asistente ha terminado</translation>
    </message>
    <message>
        <source>no helper</source>
        <translation>sin asistente</translation>
    </message>
    <message>
        <source>helper has another version</source>
        <translation>el asistente tiene otra versión</translation>
    </message>
    <message>
        <source>System mode</source>
        <translation>Modo de sistema</translation>
    </message>
    <message>
        <source>Private mode</source>
        <translation>Modo privado</translation>
    </message>
    <message>
        <source>The helper of this machine works on its devices; it may ask for a password.</source>
        <translation>El asistente de este equipo trabaja con sus dispositivos; puede pedir una contraseña.</translation>
    </message>
    <message>
        <source>A helper of your own, with your rights: image files, and devices you may read.</source>
        <translation>Un asistente propio, con sus permisos: archivos de imagen y dispositivos que puede leer.</translation>
    </message>
</context>
<context>
    <name>JobRow</name>
    <message>
        <source>Progress of %1</source>
        <translation>Progreso de %1</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Cerrar</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Close the line of %1</source>
        <translation>Cerrar la línea de %1</translation>
    </message>
    <message>
        <source>Cancel %1</source>
        <translation>Cancelar %1</translation>
    </message>
</context>
<context>
    <name>JobsArea</name>
    <message numerus="yes">
        <source>%n second(s) left</source>
        <translation>
            <numerusform>queda %n segundo</numerusform>
            <numerusform>quedan %n segundos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) left</source>
        <translation>
            <numerusform>queda %n minuto</numerusform>
            <numerusform>quedan %n minutos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hour(s) left</source>
        <translation>
            <numerusform>queda %n hora</numerusform>
            <numerusform>quedan %n horas</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 de %2</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>running</source>
        <translation>en curso</translation>
    </message>
    <message>
        <source>waiting its turn</source>
        <translation>esperando su turno</translation>
    </message>
    <message>
        <source>done</source>
        <translation>terminado</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>cancelado</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>ha fallado</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>ha fallado: %1</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Tareas</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Tools</source>
        <translation>Herramientas</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Salir</translation>
    </message>
    <message>
        <source>&amp;About Millpond</source>
        <translation>&amp;Acerca de Millpond</translation>
    </message>
    <message>
        <source>%1 – Millpond</source>
        <translation>%1 – Millpond</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>A&amp;yuda</translation>
    </message>
    <message>
        <source>About Millpond</source>
        <translation>Acerca de Millpond</translation>
    </message>
    <message>
        <source>&lt;b&gt;Millpond %1&lt;/b&gt;&lt;p&gt;Storage pools in the OpenZFS format, without a kernel module.&lt;p&gt;Free software under the GNU General Public License, version 3 or later.</source>
        <translation>&lt;b&gt;Millpond %1&lt;/b&gt;&lt;p&gt;Pools de almacenamiento en formato OpenZFS, sin módulo del núcleo.&lt;p&gt;Software libre bajo la Licencia Pública General de GNU, versión 3 o posterior.</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Close message</source>
        <translation>Cerrar el mensaje</translation>
    </message>
</context>
<context>
    <name>Operations</name>
    <message>
        <source>Importing %1 read-only</source>
        <translation>Importando %1 en solo lectura</translation>
    </message>
    <message>
        <source>%1 was not imported: %2</source>
        <translation>%1 no se ha importado: %2</translation>
    </message>
    <message>
        <source>%1 is open read-only: nothing on its disks is changed.</source>
        <translation>%1 está abierto en solo lectura: nada cambia en sus discos.</translation>
    </message>
    <message>
        <source>%1 is open read-only, but not everything in it could be mounted: %2</source>
        <translation>%1 está abierto en solo lectura, pero no todo se ha podido montar: %2</translation>
    </message>
    <message>
        <source>Exporting %1</source>
        <translation>Exportando %1</translation>
    </message>
    <message>
        <source>%1 is exported; its disks can be taken away.</source>
        <translation>%1 está exportado; se pueden retirar sus discos.</translation>
    </message>
    <message>
        <source>%1 was not exported: %2</source>
        <translation>%1 no se ha exportado: %2</translation>
    </message>
    <message>
        <source>Mounting %1</source>
        <translation>Montando %1</translation>
    </message>
    <message>
        <source>%1 was not mounted: %2</source>
        <translation>%1 no se ha montado: %2</translation>
    </message>
    <message>
        <source>%1 is mounted.</source>
        <translation>%1 está montado.</translation>
    </message>
    <message>
        <source>%1 is mounted at %2.</source>
        <translation>%1 está montado en %2.</translation>
    </message>
    <message>
        <source>Unmounting %1</source>
        <translation>Desmontando %1</translation>
    </message>
    <message>
        <source>%1 is no longer mounted.</source>
        <translation>%1 ya no está montado.</translation>
    </message>
    <message>
        <source>%1 was not unmounted: %2</source>
        <translation>%1 no se ha desmontado: %2</translation>
    </message>
</context>
<context>
    <name>OptionText</name>
    <message>
        <source>Show the pools whose image files lie in DIR.</source>
        <translation>Mostrar los pools cuyos archivos de imagen están en DIR.</translation>
    </message>
    <message>
        <source>Open every pool of that folder first, read-only.</source>
        <translation>Abrir primero cada pool de esa carpeta, en solo lectura.</translation>
    </message>
    <message>
        <source>Work with the helper of this machine, not a private one.</source>
        <translation>Trabajar con el asistente de este equipo, no con uno privado.</translation>
    </message>
    <message>
        <source>Begin with the page NAME.</source>
        <translation>Empezar por la página NAME.</translation>
    </message>
    <message>
        <source>Print what the window would show, and exit.</source>
        <translation>Imprimir lo que mostraría la ventana y salir.</translation>
    </message>
    <message>
        <source>Write a picture of the window to FILE once everything is shown, and exit.</source>
        <translation>Escribir una imagen de la ventana en FILE cuando se muestre todo y salir.</translation>
    </message>
    <message>
        <source>Looks into storage pools and opens them.</source>
        <translation>Examina pools de almacenamiento y los abre.</translation>
    </message>
    <message>
        <source>Unexpected argument: %1</source>
        <translation>Argumento inesperado: %1</translation>
    </message>
    <message>
        <source>--import needs --folder</source>
        <translation>--import necesita --folder</translation>
    </message>
</context>
<context>
    <name>PageBar</name>
    <message>
        <source>Pages</source>
        <translation>Páginas</translation>
    </message>
</context>
<context>
    <name>PoolDetail</name>
    <message>
        <source>Devices of the pool</source>
        <translation>Dispositivos del pool</translation>
    </message>
    <message>
        <source>Datasets, snapshots and check</source>
        <translation>Conjuntos de datos, instantáneas y comprobación</translation>
    </message>
    <message>
        <source>D&amp;atasets</source>
        <translation>Con&amp;juntos de datos</translation>
    </message>
    <message>
        <source>S&amp;napshots</source>
        <translation>I&amp;nstantáneas</translation>
    </message>
    <message>
        <source>Chec&amp;k</source>
        <translation>Comproba&amp;ción</translation>
    </message>
</context>
<context>
    <name>PoolListModel</name>
    <message>
        <source>A scrub was running; it goes on when the pool is opened for writing.</source>
        <translation>Había un repaso (scrub) en curso; continúa cuando el pool se abre para escribir.</translation>
    </message>
    <message>
        <source>The last scrub was cancelled on %1.</source>
        <translation>El último repaso (scrub) se canceló el %1.</translation>
    </message>
    <message numerus="yes">
        <source>Last scrub: %1, %n error(s).</source>
        <translation>
            <numerusform>Último repaso (scrub): %1, %n error.</numerusform>
            <numerusform>Último repaso (scrub): %1, %n errores.</numerusform>
        </translation>
    </message>
    <message>
        <source>A device was being rebuilt (resilvered); until that ends the pool has less redundancy.</source>
        <translation>Se estaba reconstruyendo un dispositivo (resilver); hasta que termine, el pool tiene menos redundancia.</translation>
    </message>
    <message>
        <source>The last rebuild (resilver) was cancelled on %1.</source>
        <translation>La última reconstrucción (resilver) se canceló el %1.</translation>
    </message>
    <message numerus="yes">
        <source>Last rebuild (resilver): %1, %n error(s).</source>
        <translation>
            <numerusform>Última reconstrucción (resilver): %1, %n error.</numerusform>
            <numerusform>Última reconstrucción (resilver): %1, %n errores.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) or object(s) are known to be damaged.</source>
        <translation>
            <numerusform>Se sabe que %n archivo u objeto está dañado.</numerusform>
            <numerusform>Se sabe que %n archivos u objetos están dañados.</numerusform>
        </translation>
    </message>
    <message>
        <source>This pool was destroyed; what is left of it can be looked at.</source>
        <translation>Este pool fue destruido; se puede ver lo que queda de él.</translation>
    </message>
    <message>
        <source>This pool cannot be imported.</source>
        <translation>Este pool no se puede importar.</translation>
    </message>
    <message>
        <source>Cannot be imported: %1</source>
        <translation>No se puede importar: %1</translation>
    </message>
    <message>
        <source>It was not exported: %1 may be using it. Opened read-only it is not changed.</source>
        <translation>No se exportó: quizá %1 lo esté usando. Abierto en solo lectura no cambia.</translation>
    </message>
    <message>
        <source>another machine</source>
        <translation>otro equipo</translation>
    </message>
    <message>
        <source>This pool can be opened for reading only.</source>
        <translation>Este pool solo se puede abrir para lectura.</translation>
    </message>
    <message>
        <source>%1, open read-only</source>
        <translation>%1, abierto en solo lectura</translation>
    </message>
    <message>
        <source>%1, open</source>
        <translation>%1, abierto</translation>
    </message>
    <message>
        <source>%1, not imported</source>
        <translation>%1, no importado</translation>
    </message>
    <message>
        <source>%1, cannot be imported</source>
        <translation>%1, no se puede importar</translation>
    </message>
    <message>
        <source>%1 raw size</source>
        <translation>%1 de tamaño bruto</translation>
    </message>
    <message>
        <source>%1 of %2 raw space allocated (%3 %)</source>
        <translation>%1 de %2 de espacio bruto asignado (%3 %)</translation>
    </message>
    <message>
        <source>All devices are there. No known data errors.</source>
        <translation>Están todos los dispositivos. No se conocen errores de datos.</translation>
    </message>
    <message>
        <source>All devices are there.</source>
        <translation>Están todos los dispositivos.</translation>
    </message>
    <message>
        <source>%1 (guid %2)</source>
        <translation>%1 (guid %2)</translation>
    </message>
</context>
<context>
    <name>PoolLoader</name>
    <message>
        <source>Looking for pools on the devices of this machine</source>
        <translation>Buscando pools en los dispositivos de este equipo</translation>
    </message>
    <message>
        <source>Looking for pools in %1</source>
        <translation>Buscando pools en %1</translation>
    </message>
</context>
<context>
    <name>PoolsPage</name>
    <message>
        <source>Pools</source>
        <translation>Pools</translation>
    </message>
    <message>
        <source>Pools on this machine</source>
        <translation>Pools de este equipo</translation>
    </message>
    <message>
        <source>Pools in %1</source>
        <translation>Pools en %1</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Reintentar</translation>
    </message>
    <message>
        <source>Looking for pools on the devices of this machine</source>
        <translation>Buscando pools en los dispositivos de este equipo</translation>
    </message>
    <message>
        <source>Looking for pools in %1</source>
        <translation>Buscando pools en %1</translation>
    </message>
    <message>
        <source>No pools on the devices of this machine</source>
        <translation>No hay pools en los dispositivos de este equipo</translation>
    </message>
    <message>
        <source>No pools in %1</source>
        <translation>No hay pools en %1</translation>
    </message>
    <message>
        <source>Plug in the disks of a pool and refresh, or open a folder that holds its disks as image files.</source>
        <translation>Conecte los discos de un pool y actualice, o abra una carpeta que contenga sus discos como archivos de imagen.</translation>
    </message>
    <message>
        <source>A pool shows up when the folder holds the image files of its disks. Folders inside it are not searched.</source>
        <translation>Un pool aparece cuando la carpeta contiene los archivos de imagen de sus discos. No se buscan en las subcarpetas.</translation>
    </message>
    <message>
        <source>Open Folder…</source>
        <translation>Abrir carpeta…</translation>
    </message>
    <message>
        <source>The devices of this machine could not be searched for pools</source>
        <translation>No se han podido buscar pools en los dispositivos de este equipo</translation>
    </message>
    <message>
        <source>%1 could not be searched for pools</source>
        <translation>No se han podido buscar pools en %1</translation>
    </message>
    <message>
        <source>Open Folder</source>
        <translation>Abrir carpeta</translation>
    </message>
    <message>
        <source>Import read-only anyway</source>
        <translation>Importar de todos modos en solo lectura</translation>
    </message>
    <message>
        <source>Folder with image files</source>
        <translation>Carpeta con archivos de imagen</translation>
    </message>
    <message>
        <source>Save table</source>
        <translation>Guardar tabla</translation>
    </message>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>Archivos CSV (*.csv)</translation>
    </message>
    <message>
        <source>The table was saved as %1.</source>
        <translation>La tabla se ha guardado como %1.</translation>
    </message>
    <message>
        <source>%1 was not written: %2</source>
        <translation>No se ha escrito %1: %2</translation>
    </message>
</context>
<context>
    <name>ProblemModel</name>
    <message>
        <source>Kind</source>
        <translation>Tipo</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Dónde</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problema</translation>
    </message>
</context>
<context>
    <name>Session</name>
    <message>
        <source>Not everything was shown in time.</source>
        <translation>No se ha mostrado todo a tiempo.</translation>
    </message>
    <message>
        <source>%1 could not be written.</source>
        <translation>No se ha podido escribir %1.</translation>
    </message>
</context>
<context>
    <name>SnapshotPanel</name>
    <message>
        <source>Snapshots</source>
        <translation>Instantáneas</translation>
    </message>
    <message>
        <source>No dataset is selected</source>
        <translation>Ningún conjunto de datos seleccionado</translation>
    </message>
    <message>
        <source>Select a dataset to see its snapshots.</source>
        <translation>Seleccione un conjunto de datos para ver sus instantáneas.</translation>
    </message>
    <message>
        <source>Reading the snapshots of %1</source>
        <translation>Leyendo las instantáneas de %1</translation>
    </message>
    <message>
        <source>The snapshots of %1 could not be read</source>
        <translation>No se han podido leer las instantáneas de %1</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Reintentar</translation>
    </message>
    <message>
        <source>%1 has no snapshots</source>
        <translation>%1 no tiene instantáneas</translation>
    </message>
    <message numerus="yes">
        <source>%n snapshot(s) of %1</source>
        <translation>
            <numerusform>%n instantánea de %1</numerusform>
            <numerusform>%n instantáneas de %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TextReport</name>
    <message numerus="yes">
        <source>%n pool(s) on this machine</source>
        <translation>
            <numerusform>%n pool en este equipo</numerusform>
            <numerusform>%n pools en este equipo</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pool(s) in %1</source>
        <translation>
            <numerusform>%n pool en %1</numerusform>
            <numerusform>%n pools en %1</numerusform>
        </translation>
    </message>
    <message>
        <source>The datasets of %1 could not be read: %2</source>
        <translation>No se han podido leer los conjuntos de datos de %1: %2</translation>
    </message>
</context>
<context>
    <name>TranscriptBar</name>
    <message>
        <source>Command:</source>
        <translation>Orden:</translation>
    </message>
    <message>
        <source>What you do here is shown as a command</source>
        <translation>Lo que haga aquí se muestra como orden</translation>
    </message>
    <message>
        <source>Equivalent command</source>
        <translation>Orden equivalente</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>Copiar la orden</translation>
    </message>
    <message>
        <source>Copy this command; the arrow lists earlier ones</source>
        <translation>Copiar esta orden; la flecha muestra las anteriores</translation>
    </message>
</context>
<context>
    <name>VdevModel</name>
    <message>
        <source>Logs</source>
        <translation>Registros</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>Caché</translation>
    </message>
    <message>
        <source>Spares</source>
        <translation>Repuestos</translation>
    </message>
    <message>
        <source>Special (metadata)</source>
        <translation>Especial (metadatos)</translation>
    </message>
    <message>
        <source>Deduplication tables</source>
        <translation>Tablas de deduplicación</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Dispositivo</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Estado</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Tamaño</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>Observación</translation>
    </message>
    <message>
        <source>Errors of this kind since the pool was opened</source>
        <translation>Errores de este tipo desde que se abrió el pool</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Lectura</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>Escritura</translation>
    </message>
    <message>
        <source>Checksum</source>
        <translation>Suma de control</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>There is no page %1. Pages: %2</source>
        <translation>No hay ninguna página %1. Páginas: %2</translation>
    </message>
</context>
</TS>
