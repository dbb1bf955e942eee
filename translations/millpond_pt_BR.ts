<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="pt_BR" sourcelanguage="en">
<context>
    <name>ActionText</name>
    <message>
        <source>&amp;Open Folder…</source>
        <translation>&amp;Abrir pasta…</translation>
    </message>
    <message>
        <source>Show the pools whose image files lie in a folder</source>
        <translation>Mostrar os pools cujos arquivos de imagem estão em uma pasta</translation>
    </message>
    <message>
        <source>This &amp;Machine</source>
        <translation>Esta &amp;máquina</translation>
    </message>
    <message>
        <source>Show the pools on the devices of this machine</source>
        <translation>Mostrar os pools nos dispositivos desta máquina</translation>
    </message>
    <message>
        <source>&amp;Refresh</source>
        <translation>At&amp;ualizar</translation>
    </message>
    <message>
        <source>Look for pools again</source>
        <translation>Procurar pools novamente</translation>
    </message>
    <message>
        <source>&amp;Import Read-Only</source>
        <translation>&amp;Importar somente para leitura</translation>
    </message>
    <message>
        <source>Open this pool for reading; nothing on its disks is changed</source>
        <translation>Abrir este pool para leitura; nada é alterado em seus discos</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>&amp;Exportar</translation>
    </message>
    <message>
        <source>Unmount this pool and close it</source>
        <translation>Desmontar este pool e fechá-lo</translation>
    </message>
    <message>
        <source>&amp;Check</source>
        <translation>&amp;Verificar</translation>
    </message>
    <message>
        <source>Read and verify everything in this pool</source>
        <translation>Ler e verificar tudo neste pool</translation>
    </message>
    <message>
        <source>&amp;Mount</source>
        <translation>&amp;Montar</translation>
    </message>
    <message>
        <source>Make the files of this dataset visible in a folder</source>
        <translation>Tornar visíveis em uma pasta os arquivos deste conjunto de dados</translation>
    </message>
    <message>
        <source>&amp;Unmount</source>
        <translation>&amp;Desmontar</translation>
    </message>
    <message>
        <source>Take the files of this dataset out of the folder again</source>
        <translation>Retirar da pasta os arquivos deste conjunto de dados</translation>
    </message>
    <message>
        <source>Open Fol&amp;der</source>
        <translation>&amp;Abrir pasta</translation>
    </message>
    <message>
        <source>Show the files of this dataset in the file manager</source>
        <translation>Mostrar os arquivos deste conjunto de dados no gerenciador de arquivos</translation>
    </message>
    <message>
        <source>&amp;Copy Rows</source>
        <translation>&amp;Copiar linhas</translation>
    </message>
    <message>
        <source>Copy the selected rows of the table</source>
        <translation>Copiar as linhas selecionadas da tabela</translation>
    </message>
    <message>
        <source>&amp;Save Table…</source>
        <translation>&amp;Salvar tabela…</translation>
    </message>
    <message>
        <source>Save the table as a CSV file</source>
        <translation>Salvar a tabela como arquivo CSV</translation>
    </message>
    <message>
        <source>&amp;Filter Datasets</source>
        <translation>&amp;Filtrar conjuntos de dados</translation>
    </message>
    <message>
        <source>Show only datasets whose name holds a text</source>
        <translation>Mostrar apenas conjuntos de dados cujo nome contém um texto</translation>
    </message>
    <message>
        <source>Datasets as &amp;List</source>
        <translation>Conjuntos de dados como &amp;lista</translation>
    </message>
    <message>
        <source>Show datasets with full names, sorted over the whole pool</source>
        <translation>Mostrar os conjuntos de dados com nomes completos, ordenados em todo o pool</translation>
    </message>
    <message>
        <source>&amp;Pool</source>
        <translation>&amp;Pool</translation>
    </message>
    <message>
        <source>&amp;Dataset</source>
        <translation>Con&amp;junto de dados</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>E&amp;xibir</translation>
    </message>
</context>
<context>
    <name>Advice</name>
    <message>
        <source>Devices are missing, and the copies that are left are not enough to read the pool.</source>
        <translation>Faltam dispositivos e as cópias restantes não bastam para ler o pool.</translation>
    </message>
    <message>
        <source>Connect the missing devices and try again.</source>
        <translation>Conecte os dispositivos que faltam e tente novamente.</translation>
    </message>
    <message>
        <source>Some files are damaged and could not be rebuilt from any copy.</source>
        <translation>Alguns arquivos estão danificados e não puderam ser reconstruídos de nenhuma cópia.</translation>
    </message>
    <message>
        <source>Restore the files listed below from a backup, or delete them.</source>
        <translation>Restaure os arquivos listados abaixo de um backup ou exclua-os.</translation>
    </message>
    <message>
        <source>A device is being rebuilt. Until that is done the pool has less redundancy.</source>
        <translation>Um dispositivo está sendo reconstruído. Até terminar, o pool tem menos redundância.</translation>
    </message>
    <message>
        <source>Wait for the resilver to finish.</source>
        <translation>Aguarde o fim da ressincronização (resilver).</translation>
    </message>
    <message>
        <source>A device has no usable label. The other copies are enough to read everything.</source>
        <translation>Um dispositivo não tem rótulo utilizável. As outras cópias bastam para ler tudo.</translation>
    </message>
    <message>
        <source>Replace the device.</source>
        <translation>Substitua o dispositivo.</translation>
    </message>
    <message>
        <source>A device could not be opened. The other copies are enough to read everything.</source>
        <translation>Não foi possível abrir um dispositivo. As outras cópias bastam para ler tudo.</translation>
    </message>
    <message>
        <source>Connect the device, or replace it.</source>
        <translation>Conecte o dispositivo ou substitua-o.</translation>
    </message>
    <message>
        <source>A device was switched off by an administrator. The other copies are enough to read everything.</source>
        <translation>Um dispositivo foi desligado por um administrador. As outras cópias bastam para ler tudo.</translation>
    </message>
    <message>
        <source>Bring the device back online, or replace it.</source>
        <translation>Coloque o dispositivo de volta on-line ou substitua-o.</translation>
    </message>
    <message>
        <source>A device was taken out. The other copies are enough to read everything.</source>
        <translation>Um dispositivo foi retirado. As outras cópias bastam para ler tudo.</translation>
    </message>
    <message>
        <source>Put the device back, or replace it.</source>
        <translation>Recoloque o dispositivo ou substitua-o.</translation>
    </message>
    <message>
        <source>A device had too many errors and is no longer used.</source>
        <translation>Um dispositivo teve erros demais e não é mais usado.</translation>
    </message>
    <message>
        <source>Replace the device, or clear its errors if it is sound.</source>
        <translation>Substitua o dispositivo ou limpe seus erros se ele estiver bom.</translation>
    </message>
    <message>
        <source>A device returned errors. Everything was rebuilt from other copies.</source>
        <translation>Um dispositivo retornou erros. Tudo foi reconstruído a partir de outras cópias.</translation>
    </message>
    <message>
        <source>Check the device and its cable; replace it if errors come back.</source>
        <translation>Verifique o dispositivo e seu cabo; substitua-o se os erros voltarem.</translation>
    </message>
    <message>
        <source>The pool has an old on-disk version. It works, without what newer versions brought.</source>
        <translation>O pool tem uma versão antiga em disco. Ele funciona, sem o que versões mais novas trouxeram.</translation>
    </message>
    <message>
        <source>Nothing needs to be done. An upgrade shuts out software that knows no feature flags.</source>
        <translation>Não é preciso fazer nada. Uma atualização exclui softwares que não conhecem feature flags.</translation>
    </message>
    <message>
        <source>Some features that this program knows are not enabled. The pool works without them.</source>
        <translation>Alguns recursos que este programa conhece não estão ativados. O pool funciona sem eles.</translation>
    </message>
    <message>
        <source>Nothing needs to be done. An upgrade shuts out software that lacks those features.</source>
        <translation>Não é preciso fazer nada. Uma atualização exclui softwares que não têm esses recursos.</translation>
    </message>
</context>
<context>
    <name>CheckPanel</name>
    <message>
        <source>Problems found by the check</source>
        <translation>Problemas encontrados na verificação</translation>
    </message>
    <message>
        <source>Starting the check of %1</source>
        <translation>Iniciando a verificação de %1</translation>
    </message>
    <message>
        <source>The check failed.</source>
        <translation>A verificação falhou.</translation>
    </message>
    <message>
        <source>The check was cancelled.</source>
        <translation>A verificação foi cancelada.</translation>
    </message>
    <message>
        <source>%1 was not checked</source>
        <translation>%1 não foi verificado</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>Verificar novamente</translation>
    </message>
    <message>
        <source>Checking %1</source>
        <translation>Verificando %1</translation>
    </message>
    <message>
        <source>Every block is read and compared. No problem found so far.</source>
        <translation>Cada bloco é lido e comparado. Nenhum problema até agora.</translation>
    </message>
    <message>
        <source>No pool is selected</source>
        <translation>Nenhum pool selecionado</translation>
    </message>
    <message>
        <source>%1 is imported</source>
        <translation>%1 está importado</translation>
    </message>
    <message>
        <source>A check reads a pool that is not in use. Export it first.</source>
        <translation>A verificação lê um pool que não está em uso. Exporte-o primeiro.</translation>
    </message>
    <message>
        <source>%1 has not been checked</source>
        <translation>%1 ainda não foi verificado</translation>
    </message>
    <message>
        <source>A check reads every copy of every block, recomputes parity, and compares what the pool says about itself. It writes nothing and can take as long as reading the disks.</source>
        <translation>A verificação lê cada cópia de cada bloco, recalcula a paridade e compara o que o pool diz de si mesmo. Ela não grava nada e pode levar o tempo de ler os discos.</translation>
    </message>
    <message>
        <source>Check now</source>
        <translation>Verificar agora</translation>
    </message>
    <message>
        <source>No problem found in %1</source>
        <translation>Nenhum problema encontrado em %1</translation>
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
        <translation>%1 até agora; a verificação continua.</translation>
    </message>
    <message>
        <source>%1. %2 datasets, %3 blocks, %4 read in %5 s.</source>
        <translation>%1. %2 conjuntos de dados, %3 blocos, %4 lidos em %5 s.</translation>
    </message>
    <message>
        <source>%1 are awaiting a resilver, which is not damage.</source>
        <translation>%1 aguardam uma ressincronização (resilver), o que não é dano.</translation>
    </message>
</context>
<context>
    <name>DBusClient</name>
    <message>
        <source>The helper has ended.</source>
        <translation>O auxiliar foi encerrado.</translation>
    </message>
    <message>
        <source>The helper that is running (%1) speaks version %2 of the interface, this window version %3. Close all windows, end the helper, and start again.</source>
        <translation>O auxiliar em execução (%1) fala a versão %2 da interface, esta janela a versão %3. Feche todas as janelas, encerre o auxiliar e comece de novo.</translation>
    </message>
    <message>
        <source>The helper is not running.</source>
        <translation>O auxiliar não está em execução.</translation>
    </message>
</context>
<context>
    <name>DatasetModel</name>
    <message>
        <source>Yes</source>
        <translation>Sim</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Não</translation>
    </message>
    <message>
        <source>Not mounted</source>
        <translation>Não montado</translation>
    </message>
    <message>
        <source>Mounted at %1</source>
        <translation>Montado em %1</translation>
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
        <translation>Conjuntos de dados</translation>
    </message>
    <message>
        <source>Filter datasets by name</source>
        <translation>Filtrar conjuntos de dados por nome</translation>
    </message>
    <message>
        <source>Reading the datasets of %1</source>
        <translation>Lendo os conjuntos de dados de %1</translation>
    </message>
    <message>
        <source>Asking what is mounted</source>
        <translation>Consultando o que está montado</translation>
    </message>
    <message>
        <source>The datasets of %1 could not be read</source>
        <translation>Não foi possível ler os conjuntos de dados de %1</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Tentar novamente</translation>
    </message>
    <message>
        <source>%1 is not imported</source>
        <translation>%1 não está importado</translation>
    </message>
    <message>
        <source>Import it read-only to see and mount its datasets. Nothing is written to its disks.</source>
        <translation>Importe-o somente para leitura para ver e montar seus conjuntos de dados. Nada é gravado em seus discos.</translation>
    </message>
    <message>
        <source>Import read-only</source>
        <translation>Importar somente para leitura</translation>
    </message>
    <message>
        <source>%1 cannot be imported</source>
        <translation>%1 não pode ser importado</translation>
    </message>
    <message numerus="yes">
        <source>%n dataset(s)</source>
        <translation>
            <numerusform>%n conjunto de dados</numerusform>
            <numerusform>%n conjuntos de dados</numerusform>
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
        <translation>Você não tem permissão para fazer isto.</translation>
    </message>
    <message>
        <source>You are not allowed to do this: %1</source>
        <translation>Você não tem permissão para fazer isto: %1</translation>
    </message>
    <message>
        <source>The helper did not answer in time. A disk may be slow or not respond.</source>
        <translation>O auxiliar não respondeu a tempo. Um disco pode estar lento ou não responder.</translation>
    </message>
    <message>
        <source>The storage helper is not running.</source>
        <translation>O auxiliar de armazenamento não está em execução.</translation>
    </message>
    <message>
        <source>The helper&apos;s answer could not be understood: %1</source>
        <translation>Não foi possível entender a resposta do auxiliar: %1</translation>
    </message>
    <message>
        <source>The helper refused: %1</source>
        <translation>O auxiliar recusou: %1</translation>
    </message>
    <message>
        <source>Connecting to the storage helper of this machine</source>
        <translation>Conectando ao auxiliar de armazenamento desta máquina</translation>
    </message>
    <message>
        <source>Starting the storage helper</source>
        <translation>Iniciando o auxiliar de armazenamento</translation>
    </message>
    <message>
        <source>The storage helper is ready</source>
        <translation>O auxiliar de armazenamento está pronto</translation>
    </message>
    <message>
        <source>The storage helper has ended</source>
        <translation>O auxiliar de armazenamento foi encerrado</translation>
    </message>
    <message>
        <source>The storage helper has another version</source>
        <translation>O auxiliar de armazenamento tem outra versão</translation>
    </message>
    <message>
        <source>The storage helper of this machine cannot be reached</source>
        <translation>Não é possível contatar o auxiliar de armazenamento desta máquina</translation>
    </message>
    <message>
        <source>The storage helper could not be started</source>
        <translation>Não foi possível iniciar o auxiliar de armazenamento</translation>
    </message>
    <message>
        <source>It reads disks and image files for this window.</source>
        <translation>Ele lê discos e arquivos de imagem para esta janela.</translation>
    </message>
    <message>
        <source>Pools that were open in it are closed; nothing on the disks was changed. It can be started again.</source>
        <translation>Os pools que estavam abertos nele foram fechados; nada foi alterado nos discos. Ele pode ser iniciado novamente.</translation>
    </message>
</context>
<context>
    <name>HeadingText</name>
    <message>
        <source>Name</source>
        <translation>Nome</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>Usado</translation>
    </message>
    <message>
        <source>Available</source>
        <translation>Disponível</translation>
    </message>
    <message>
        <source>Referenced</source>
        <translation>Referenciado</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>Razão</translation>
    </message>
    <message>
        <source>Mountpoint</source>
        <translation>Ponto de montagem</translation>
    </message>
    <message>
        <source>Mounted</source>
        <translation>Montado</translation>
    </message>
    <message>
        <source>Snapshot</source>
        <translation>Instantâneo</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Criado</translation>
    </message>
</context>
<context>
    <name>HealthText</name>
    <message>
        <source>Online</source>
        <translation>On-line</translation>
    </message>
    <message>
        <source>Degraded</source>
        <translation>Degradado</translation>
    </message>
    <message>
        <source>Faulted</source>
        <translation>Com falha</translation>
    </message>
    <message>
        <source>Unavailable</source>
        <translation>Indisponível</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>Off-line</translation>
    </message>
    <message>
        <source>Removed</source>
        <translation>Removido</translation>
    </message>
    <message>
        <source>Suspended</source>
        <translation>Suspenso</translation>
    </message>
    <message>
        <source>Spare, ready</source>
        <translation>Reserva, pronta</translation>
    </message>
    <message>
        <source>Spare, in use</source>
        <translation>Reserva, em uso</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Desconhecido</translation>
    </message>
</context>
<context>
    <name>HelperStatus</name>
    <message>
        <source>helper not started</source>
        <translation>auxiliar não iniciado</translation>
    </message>
    <message>
        <source>helper is starting</source>
        <translation>o auxiliar está iniciando</translation>
    </message>
    <message>
        <source>helper %1 is running</source>
        <translation>o auxiliar %1 está em execução</translation>
    </message>
    <message>
        <source>helper has ended</source>
        <translation>o auxiliar foi encerrado</translation>
    </message>
    <message>
        <source>no helper</source>
        <translation>sem auxiliar</translation>
    </message>
    <message>
        <source>helper has another version</source>
        <translation>o auxiliar tem outra versão</translation>
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
        <translation>O auxiliar desta máquina trabalha com seus dispositivos; pode pedir uma senha.</translation>
    </message>
    <message>
        <source>A helper of your own, with your rights: image files, and devices you may read.</source>
        <translation>Um auxiliar próprio, com seus direitos: arquivos de imagem e dispositivos que você pode ler.</translation>
    </message>
</context>
<context>
    <name>JobRow</name>
    <message>
        <source>Progress of %1</source>
        <translation>Progresso de %1</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fechar</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Close the line of %1</source>
        <translation>Fechar a linha de %1</translation>
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
            <numerusform>resta %n segundo</numerusform>
            <numerusform>restam %n segundos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) left</source>
        <translation>
            <numerusform>resta %n minuto</numerusform>
            <numerusform>restam %n minutos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hour(s) left</source>
        <translation>
            <numerusform>resta %n hora</numerusform>
            <numerusform>restam %n horas</numerusform>
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
        <translation>em andamento</translation>
    </message>
    <message>
        <source>waiting its turn</source>
        <translation>aguardando sua vez</translation>
    </message>
    <message>
        <source>done</source>
        <translation>concluído</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>cancelado</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>falhou</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>falhou: %1</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Tarefas</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Tools</source>
        <translation>Ferramentas</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Sair</translation>
    </message>
    <message>
        <source>&amp;About Millpond</source>
        <translation>&amp;Sobre o Millpond</translation>
    </message>
    <message>
        <source>%1 – Millpond</source>
        <translation>%1 – Millpond</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>A&amp;juda</translation>
    </message>
    <message>
        <source>About Millpond</source>
        <translation>Sobre o Millpond</translation>
    </message>
    <message>
        <source>&lt;b&gt;Millpond %1&lt;/b&gt;&lt;p&gt;Storage pools in the OpenZFS format, without a kernel module.&lt;p&gt;Free software under the GNU General Public License, version 3 or later.</source>
        <translation>&lt;b&gt;Millpond %1&lt;/b&gt;&lt;p&gt;Pools de armazenamento no formato OpenZFS, sem módulo do kernel.&lt;p&gt;Software livre sob a Licença Pública Geral GNU, versão 3 ou posterior.</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Close message</source>
        <translation>Fechar a mensagem</translation>
    </message>
</context>
<context>
    <name>Operations</name>
    <message>
        <source>Importing %1 read-only</source>
        <translation>Importando %1 somente para leitura</translation>
    </message>
    <message>
        <source>%1 was not imported: %2</source>
        <translation>%1 não foi importado: %2</translation>
    </message>
    <message>
        <source>%1 is open read-only: nothing on its disks is changed.</source>
        <translation>%1 está aberto somente para leitura: nada é alterado em seus discos.</translation>
    </message>
    <message>
        <source>%1 is open read-only, but not everything in it could be mounted: %2</source>
        <translation>%1 está aberto somente para leitura, mas nem tudo pôde ser montado: %2</translation>
    </message>
    <message>
        <source>Exporting %1</source>
        <translation>Exportando %1</translation>
    </message>
    <message>
        <source>%1 is exported; its disks can be taken away.</source>
        <translation>%1 foi exportado; seus discos podem ser retirados.</translation>
    </message>
    <message>
        <source>%1 was not exported: %2</source>
        <translation>%1 não foi exportado: %2</translation>
    </message>
    <message>
        <source>Mounting %1</source>
        <translation>Montando %1</translation>
    </message>
    <message>
        <source>%1 was not mounted: %2</source>
        <translation>%1 não foi montado: %2</translation>
    </message>
    <message>
        <source>%1 is mounted.</source>
        <translation>%1 está montado.</translation>
    </message>
    <message>
        <source>%1 is mounted at %2.</source>
        <translation>%1 está montado em %2.</translation>
    </message>
    <message>
        <source>Unmounting %1</source>
        <translation>Desmontando %1</translation>
    </message>
    <message>
        <source>%1 is no longer mounted.</source>
        <translation>%1 não está mais montado.</translation>
    </message>
    <message>
        <source>%1 was not unmounted: %2</source>
        <translation>%1 não foi desmontado: %2</translation>
    </message>
</context>
<context>
    <name>OptionText</name>
    <message>
        <source>Show the pools whose image files lie in DIR.</source>
        <translation>Mostrar os pools cujos arquivos de imagem estão em DIR.</translation>
    </message>
    <message>
        <source>Open every pool of that folder first, read-only.</source>
        <translation>Abrir primeiro cada pool dessa pasta, somente para leitura.</translation>
    </message>
    <message>
        <source>Work with the helper of this machine, not a private one.</source>
        <translation>Trabalhar com o auxiliar desta máquina, não com um privado.</translation>
    </message>
    <message>
        <source>Begin with the page NAME.</source>
        <translation>Começar pela página NAME.</translation>
    </message>
    <message>
        <source>Print what the window would show, and exit.</source>
        <translation>Imprimir o que a janela mostraria e sair.</translation>
    </message>
    <message>
        <source>Write a picture of the window to FILE once everything is shown, and exit.</source>
        <translation>Gravar uma imagem da janela em FILE quando tudo for mostrado e sair.</translation>
    </message>
    <message>
        <source>Looks into storage pools and opens them.</source>
        <translation>Examina pools de armazenamento e os abre.</translation>
    </message>
    <message>
        <source>Unexpected argument: %1</source>
        <translation>Argumento inesperado: %1</translation>
    </message>
    <message>
        <source>--import needs --folder</source>
        <translation>--import precisa de --folder</translation>
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
        <translation>Dispositivos do pool</translation>
    </message>
    <message>
        <source>Datasets, snapshots and check</source>
        <translation>Conjuntos de dados, instantâneos e verificação</translation>
    </message>
    <message>
        <source>D&amp;atasets</source>
        <translation>Con&amp;juntos de dados</translation>
    </message>
    <message>
        <source>S&amp;napshots</source>
        <translation>I&amp;nstantâneos</translation>
    </message>
    <message>
        <source>Chec&amp;k</source>
        <translation>Verifi&amp;cação</translation>
    </message>
</context>
<context>
    <name>PoolListModel</name>
    <message>
        <source>A scrub was running; it goes on when the pool is opened for writing.</source>
        <translation>Uma varredura (scrub) estava em andamento; ela continua quando o pool é aberto para gravação.</translation>
    </message>
    <message>
        <source>The last scrub was cancelled on %1.</source>
        <translation>A última varredura (scrub) foi cancelada em %1.</translation>
    </message>
    <message numerus="yes">
        <source>Last scrub: %1, %n error(s).</source>
        <translation>
            <numerusform>Última varredura (scrub): %1, %n erro.</numerusform>
            <numerusform>Última varredura (scrub): %1, %n erros.</numerusform>
        </translation>
    </message>
    <message>
        <source>A device was being rebuilt (resilvered); until that ends the pool has less redundancy.</source>
        <translation>Um dispositivo estava sendo reconstruído (resilver); até terminar, o pool tem menos redundância.</translation>
    </message>
    <message>
        <source>The last rebuild (resilver) was cancelled on %1.</source>
        <translation>A última reconstrução (resilver) foi cancelada em %1.</translation>
    </message>
    <message numerus="yes">
        <source>Last rebuild (resilver): %1, %n error(s).</source>
        <translation>
            <numerusform>Última reconstrução (resilver): %1, %n erro.</numerusform>
            <numerusform>Última reconstrução (resilver): %1, %n erros.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) or object(s) are known to be damaged.</source>
        <translation>
            <numerusform>Sabe-se que %n arquivo ou objeto está danificado.</numerusform>
            <numerusform>Sabe-se que %n arquivos ou objetos estão danificados.</numerusform>
        </translation>
    </message>
    <message>
        <source>This pool was destroyed; what is left of it can be looked at.</source>
        <translation>Este pool foi destruído; o que resta dele pode ser visto.</translation>
    </message>
    <message>
        <source>This pool cannot be imported.</source>
        <translation>Este pool não pode ser importado.</translation>
    </message>
    <message>
        <source>Cannot be imported: %1</source>
        <translation>Não pode ser importado: %1</translation>
    </message>
    <message>
        <source>It was not exported: %1 may be using it. Opened read-only it is not changed.</source>
        <translation>Ele não foi exportado: %1 pode estar usando-o. Aberto somente para leitura, não é alterado.</translation>
    </message>
    <message>
        <source>another machine</source>
        <translation>outra máquina</translation>
    </message>
    <message>
        <source>This pool can be opened for reading only.</source>
        <translation>Este pool só pode ser aberto para leitura.</translation>
    </message>
    <message>
        <source>%1, open read-only</source>
        <translation>%1, aberto somente para leitura</translation>
    </message>
    <message>
        <source>%1, open</source>
        <translation>%1, aberto</translation>
    </message>
    <message>
        <source>%1, not imported</source>
        <translation>%1, não importado</translation>
    </message>
    <message>
        <source>%1, cannot be imported</source>
        <translation>%1, não pode ser importado</translation>
    </message>
    <message>
        <source>%1 raw size</source>
        <translation>%1 de tamanho bruto</translation>
    </message>
    <message>
        <source>%1 of %2 raw space allocated (%3 %)</source>
        <translation>%1 de %2 de espaço bruto alocado (%3 %)</translation>
    </message>
    <message>
        <source>All devices are there. No known data errors.</source>
        <translation>Todos os dispositivos estão presentes. Nenhum erro de dados conhecido.</translation>
    </message>
    <message>
        <source>All devices are there.</source>
        <translation>Todos os dispositivos estão presentes.</translation>
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
        <translation>Procurando pools nos dispositivos desta máquina</translation>
    </message>
    <message>
        <source>Looking for pools in %1</source>
        <translation>Procurando pools em %1</translation>
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
        <translation>Pools nesta máquina</translation>
    </message>
    <message>
        <source>Pools in %1</source>
        <translation>Pools em %1</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Tentar novamente</translation>
    </message>
    <message>
        <source>Looking for pools on the devices of this machine</source>
        <translation>Procurando pools nos dispositivos desta máquina</translation>
    </message>
    <message>
        <source>Looking for pools in %1</source>
        <translation>Procurando pools em %1</translation>
    </message>
    <message>
        <source>No pools on the devices of this machine</source>
        <translation>Nenhum pool nos dispositivos desta máquina</translation>
    </message>
    <message>
        <source>No pools in %1</source>
        <translation>Nenhum pool em %1</translation>
    </message>
    <message>
        <source>Plug in the disks of a pool and refresh, or open a folder that holds its disks as image files.</source>
        <translation>Conecte os discos de um pool e atualize, ou abra uma pasta que contenha seus discos como arquivos de imagem.</translation>
    </message>
    <message>
        <source>A pool shows up when the folder holds the image files of its disks. Folders inside it are not searched.</source>
        <translation>Um pool aparece quando a pasta contém os arquivos de imagem de seus discos. As subpastas não são examinadas.</translation>
    </message>
    <message>
        <source>Open Folder…</source>
        <translation>Abrir pasta…</translation>
    </message>
    <message>
        <source>The devices of this machine could not be searched for pools</source>
        <translation>Não foi possível procurar pools nos dispositivos desta máquina</translation>
    </message>
    <message>
        <source>%1 could not be searched for pools</source>
        <translation>Não foi possível procurar pools em %1</translation>
    </message>
    <message>
        <source>Open Folder</source>
        <translation>Abrir pasta</translation>
    </message>
    <message>
        <source>Import read-only anyway</source>
        <translation>Importar mesmo assim, somente para leitura</translation>
    </message>
    <message>
        <source>Folder with image files</source>
        <translation>Pasta com arquivos de imagem</translation>
    </message>
    <message>
        <source>Save table</source>
        <translation>Salvar tabela</translation>
    </message>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>Arquivos CSV (*.csv)</translation>
    </message>
    <message>
        <source>The table was saved as %1.</source>
        <translation>A tabela foi salva como %1.</translation>
    </message>
    <message>
        <source>%1 was not written: %2</source>
        <translation>%1 não foi gravado: %2</translation>
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
        <translation>Onde</translation>
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
        <translation>Nem tudo foi mostrado a tempo.</translation>
    </message>
    <message>
        <source>%1 could not be written.</source>
        <translation>Não foi possível gravar %1.</translation>
    </message>
</context>
<context>
    <name>SnapshotPanel</name>
    <message>
        <source>Snapshots</source>
        <translation>Instantâneos</translation>
    </message>
    <message>
        <source>No dataset is selected</source>
        <translation>Nenhum conjunto de dados selecionado</translation>
    </message>
    <message>
        <source>Select a dataset to see its snapshots.</source>
        <translation>Selecione um conjunto de dados para ver seus instantâneos.</translation>
    </message>
    <message>
        <source>Reading the snapshots of %1</source>
        <translation>Lendo os instantâneos de %1</translation>
    </message>
    <message>
        <source>The snapshots of %1 could not be read</source>
        <translation>Não foi possível ler os instantâneos de %1</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Tentar novamente</translation>
    </message>
    <message>
        <source>%1 has no snapshots</source>
        <translation>%1 não tem instantâneos</translation>
    </message>
    <message numerus="yes">
        <source>%n snapshot(s) of %1</source>
        <translation>
            <numerusform>%n instantâneo de %1</numerusform>
            <numerusform>%n instantâneos de %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TextReport</name>
    <message numerus="yes">
        <source>%n pool(s) on this machine</source>
        <translation>
            <numerusform>%n pool nesta máquina</numerusform>
            <numerusform>%n pools nesta máquina</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pool(s) in %1</source>
        <translation>
            <numerusform>%n pool em %1</numerusform>
            <numerusform>%n pools em %1</numerusform>
        </translation>
    </message>
    <message>
        <source>The datasets of %1 could not be read: %2</source>
        <translation>Não foi possível ler os conjuntos de dados de %1: %2</translation>
    </message>
</context>
<context>
    <name>TranscriptBar</name>
    <message>
        <source>Command:</source>
        <translation>Comando:</translation>
    </message>
    <message>
        <source>What you do here is shown as a command</source>
        <translation>O que você faz aqui aparece como comando</translation>
    </message>
    <message>
        <source>Equivalent command</source>
        <translation>Comando equivalente</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>Copiar comando</translation>
    </message>
    <message>
        <source>Copy this command; the arrow lists earlier ones</source>
        <translation>Copiar este comando; a seta lista os anteriores</translation>
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
        <translation>Cache</translation>
    </message>
    <message>
        <source>Spares</source>
        <translation>Reservas</translation>
    </message>
    <message>
        <source>Special (metadata)</source>
        <translation>Especial (metadados)</translation>
    </message>
    <message>
        <source>Deduplication tables</source>
        <translation>Tabelas de deduplicação</translation>
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
        <translation>Tamanho</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>Observação</translation>
    </message>
    <message>
        <source>Errors of this kind since the pool was opened</source>
        <translation>Erros deste tipo desde que o pool foi aberto</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Leitura</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>Gravação</translation>
    </message>
    <message>
        <source>Checksum</source>
        <translation>Soma de verificação</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>There is no page %1. Pages: %2</source>
        <translation>Não há página %1. Páginas: %2</translation>
    </message>
</context>
</TS>
